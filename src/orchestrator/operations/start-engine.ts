import type { EngineRecord } from "../../contract/orchestrator/requests.ts";
import type { WakeReason } from "../../contract/engine/sleep.ts";
import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import { isRunning, mayStart } from "../rules/engine-lifecycle.ts";
import type { Product } from "../store/products.ts";
import { findEngineById } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { assertAllowed, assertCapacity } from "./assert-admission.ts";
import { engineRecord } from "../status/engine-record.ts";
import type { BootResult, FailedBoot } from "../supervision/supervisor.ts";
import { endRevival } from "../supervision/end-revival.ts";
import { newIncarnation } from "../supervision/new-incarnation.ts";
import { retryMove } from "../supervision/retry-until-stopped.ts";
import { exitEventData } from "../supervision/last-error.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import type { EngineHost, HostContext, Service } from "../host-context.ts";

/** How long the call waits until a failed start is recorded. Then the write continues in the background. */
const RECORD_WAIT_MS = 5000;
/** How often a start is tried while other calls change the engine first. */
const MAX_ATTEMPTS = 5;

/**
 * Starts a stopped or failed engine. If it does not boot, it is left `failed` with its data intact.
 * Tested in test/end-to-end/engine-lifecycle.test.ts.
 */
export async function startEngine(host: EngineHost & Service, product: Product, userId: string): Promise<EngineRecord> {
  assertAllowed(product, "start");
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const engine = await getEngineRow(host, product, userId);
    if (engine.state === "sleeping" || host.wakes.has(engine.id)) {
      const woken = await wokenRecord(host, engine, "start");
      if (woken !== null) return woken;
      continue;
    }
    const verdict = mayStart(engine.state);
    if (verdict !== "go") throw new ApiError(verdict, `the engine is ${engine.state}`);
    await assertCapacity(host);
    const result = await host.transitions.own(engine.id, () => claimAndBoot(host, engine, product));
    if (result === null) continue;
    if (result.kind === "failed") throw result.error;
    if (result.kind === "overtaken") {
      throw new ApiError("OPERATION_IN_PROGRESS", "the engine was stopped or destroyed while it was starting");
    }
    return engineRecord(host, result.engine);
  }
  throw new ApiError("OPERATION_IN_PROGRESS", "other calls keep changing this engine; retry later");
}

/** Null when another call changed the engine first. */
async function claimAndBoot(host: EngineHost, engine: EngineRow, product: Product): Promise<BootResult | null> {
  const { id } = engine;
  const request = { engineId: id, requested: true, claim: () => claim(host, engine) };
  const result = await host.supervisor.bootClaimed(product, request);
  if (result?.kind === "failed") await Promise.race([recordFailure(host, id, result), delay(RECORD_WAIT_MS)]);
  return result;
}

/** Wakes a sleeping engine. Null when another call changed it first. */
export async function wokenRecord(
  host: Pick<HostContext, "db" | "live" | "supervisor" | "settings">,
  { id }: EngineRow,
  reason: WakeReason,
): Promise<EngineRecord | null> {
  const outcome = await host.supervisor.wake(id, reason);
  switch (outcome.kind) {
    case "awake":
      return engineRecord(host, outcome.engine);
    case "failed":
      throw outcome.error;
    case "not_asleep": {
      // The engine refused to sleep.
      const row = await findEngineById(host.db, id);
      return row !== null && isRunning(row.state) ? engineRecord(host, row) : null;
    }
    default:
      return outcome satisfies never;
  }
}

async function claim(
  host: Pick<HostContext, "states" | "boots" | "live" | "settings" | "now">,
  engine: EngineRow,
): Promise<EngineRow | null> {
  await endRevival(host, engine);
  return host.states.move({
    id: engine.id,
    from: ["stopped", "failed", "backoff"],
    to: "starting",
    set: newIncarnation(host, { desired_state: "running", restart_count: 0, restart_window_started_at: null }),
    event: { reason: "request" },
  });
}

/** Retried while the database is unavailable: an engine that failed to start must not be restarted automatically. */
function recordFailure(
  host: Pick<HostContext, "db" | "states" | "backend" | "transitions" | "now" | "logger" | "stopping">,
  id: string,
  { incarnation, lastError }: FailedBoot,
): Promise<unknown> {
  // Released before the move: afterwards another start may hold the socket.
  host.backend.sockets.release(id);
  return host.transitions.own(id, () =>
    retryMove(host, "failed start", () => ({
      id,
      from: ["starting"],
      to: "failed",
      incarnation,
      set: { handle: null, last_error: JSON.stringify(lastError), stopped_at: new Date(host.now()) },
      event: { reason: lastError.reason, data: exitEventData(lastError) },
    })),
  );
}
