import type { EngineRecord, ProvisionRequest } from "../../contract/orchestrator/requests.ts";
import { ApiError } from "../api-error.ts";
import { findEngine } from "../store/engines.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { isTransient, isRunning } from "../rules/engine-lifecycle.ts";
import { awaitEngine } from "../status/await-state.ts";
import { engineRecord } from "../status/engine-record.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { assertAllowed } from "./assert-admission.ts";
import { assertPlan } from "./assert-plan.ts";
import { provisionEngine } from "./provision-engine.ts";
import { startEngine, wokenRecord } from "./start-engine.ts";

export interface Admitted {
  readonly record: EngineRecord;
  /** Null unless this call created the engine. */
  readonly apiKey: string | null;
}

/** How often the call is tried while concurrent calls change the engine first. Each attempt waits for the other call. */
const MAX_ATTEMPTS = 5;

/**
 * An idempotent provision: returns the user's engine after it has provisioned, started or woken it if necessary.
 * Concurrent calls share one engine and one failure. An existing engine keeps its plan and metadata. With `start: false` an existing engine is not started. `beforeChange`
 * is called once, unless the engine is returned as it is found; it may throw.
 * Tested in test/end-to-end/engine-lifecycle.test.ts.
 */
export async function admitEngine(
  host: EngineHost & Service,
  product: Product,
  request: ProvisionRequest,
  beforeChange: () => void,
): Promise<Admitted> {
  assertAllowed(product, "provision");
  assertPlan(product, request.plan);
  const key = { productId: product.record.id, userId: request.user_id };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await findEngine(host.db, key.productId, key.userId);
    if (found !== null && (isRunning(found.state) || (request.start === false && !isTransient(found.state))))
      return { record: engineRecord(host, found), apiKey: null };
    if (attempt === 0) beforeChange();
    if (found === null) {
      const created = await unlessOvertaken(() => provisionEngine(host, product, request), "ENGINE_ALREADY_EXISTS");
      if (created !== null) return created;
      continue;
    }
    if (isTransient(found.state)) {
      const deadlineMs = host.settings.bootTimeoutMs + product.record.policy.drain_s * 1000;
      const done = (row: EngineRow | null) => row === null || !isTransient(row.state);
      const after = await awaitEngine(host, { ...key, done, deadlineMs });
      // The provision that this call joined failed. This call fails too, since otherwise each waiting call would retry.
      // One that was destroyed meanwhile did not fail.
      const failure = after === null ? host.failures.of(found.id) : undefined;
      if (failure !== undefined && failure.code !== "OPERATION_IN_PROGRESS") throw failure;
      if (after !== null && isRunning(after.state)) return { record: engineRecord(host, after), apiKey: null };
      if (after?.state === "failed" && found.state === "starting" && request.start !== false) {
        throw new ApiError("BACKEND_ERROR", `the engine failed to boot: ${after.last_error?.reason ?? "unknown"}`);
      }
      continue;
    }
    if (found.state === "sleeping") {
      const woken = await wokenRecord(host, found, "admit");
      if (woken !== null) return { record: woken, apiKey: null };
      continue;
    }
    const started = await unlessOvertaken(
      () => startEngine(host, product, key.userId),
      "ENGINE_ALREADY_RUNNING",
      "OPERATION_IN_PROGRESS",
      "ENGINE_NOT_FOUND",
    );
    if (started !== null) return { record: started, apiKey: null };
  }
  throw new ApiError("OPERATION_IN_PROGRESS", "other calls keep changing this engine; retry later");
}

/** Null when it failed with one of these codes, because another call changed the engine first. */
async function unlessOvertaken<T>(work: () => Promise<T>, ...codes: readonly string[]): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && codes.includes(error.code)) return null;
    throw error;
  }
}
