import type { EngineRecord, ProvisionRequest } from "../../contract/orchestrator-api.ts";
import { ApiError } from "../api-error.ts";
import { findEngine } from "../store/engines.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { isTransient, isRunning } from "../rules/engine-lifecycle.ts";
import { awaitEngine } from "../status/await-state.ts";
import { engineRecord } from "../status/engine-record.ts";
import type { HostContext } from "../host-context.ts";
import { assertAllowed } from "./assert-admission.ts";
import { provisionEngine } from "./provision-engine.ts";
import { startEngine } from "./start-engine.ts";

export interface Admitted {
  readonly record: EngineRecord;
  /** Null unless this call created the engine. */
  readonly apiKey: string | null;
}

/** Rounds of "somebody else was quicker"; each waits for what the other does, so a handful is already a storm. */
const MAX_ROUNDS = 5;

/**
 * Provision that is safe to repeat: the user's engine, created if there is none, started if it is at rest. Calls that
 * come together share one engine, and one failure. With `start: false` an engine at rest is left so.
 */
export async function admitEngine(host: HostContext, product: Product, request: ProvisionRequest): Promise<Admitted> {
  assertAllowed(product, "provision");
  const where = { productId: product.record.id, userId: request.user_id };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await findEngine(host.db, where.productId, where.userId);
    if (found === null) {
      const created = await attempt(() => provisionEngine(host, product, request), "ENGINE_ALREADY_EXISTS");
      if (created !== null) return created;
      continue;
    }
    if (isRunning(found.state)) return { record: engineRecord(host, found), apiKey: null };
    if (isTransient(found.state)) {
      const deadlineMs = host.settings.bootTimeoutMs + product.record.policy.drain_s * 1000;
      let destroyed = false;
      const done = (row: EngineRow | null) => {
        destroyed ||= row?.state === "destroying";
        return row === null || !isTransient(row.state);
      };
      const after = await awaitEngine(host, { ...where, done, deadlineMs });
      // The provision that this call joined failed: its failure is this call's too, or a crowd would try one by one.
      if (after === null && !destroyed) {
        throw (
          host.failures.of(found.id) ??
          new ApiError("BACKEND_ERROR", "the engine did not come up; this call had joined its provision")
        );
      }
      if (after !== null && isRunning(after.state)) return { record: engineRecord(host, after), apiKey: null };
      if (after?.state === "failed" && found.state === "starting") {
        throw new ApiError("BACKEND_ERROR", `the engine did not come up: ${after.last_error?.reason ?? "unknown"}`);
      }
      continue;
    }
    if (request.start === false) return { record: engineRecord(host, found), apiKey: null };
    const started = await attempt(
      () => startEngine(host, product, where.userId),
      "ENGINE_ALREADY_RUNNING",
      "OPERATION_IN_PROGRESS",
      "ENGINE_NOT_FOUND",
    );
    if (started !== null) return { record: started, apiKey: null };
  }
  throw new ApiError("OPERATION_IN_PROGRESS", "other calls keep changing this engine");
}

/** Null when it failed only because another call was quicker. */
async function attempt<T>(work: () => Promise<T>, ...quicker: readonly string[]): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && quicker.includes(error.code)) return null;
    throw error;
  }
}
