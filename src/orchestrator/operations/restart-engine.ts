import type { EngineRecord } from "../../contract/orchestrator/requests.ts";
import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import { isRunning } from "../rules/engine-lifecycle.ts";
import { engineRecord } from "../status/engine-record.ts";
import { findEngineById } from "../store/engines.ts";
import { findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { endProcess } from "../supervision/end-process.ts";
import { ProcessSurvived } from "../supervision/process-survived.ts";
import { retryMove } from "../supervision/retry-until-stopped.ts";

const TERM_MS = 10_000;
/** The time for the boot queue, in addition to the boot timeout. */
const QUEUE_MS = 60_000;

/**
 * Restarts a running engine of any product with this daemon's version. It counts no crash and resets the crash count. The
 * desired state stays `running`, so that the next daemon can finish the restart.
 * Tested in test/end-to-end/restart-engine.test.ts.
 */
export async function restartEngine(host: EngineHost, id: string, drainS: number | undefined): Promise<EngineRecord> {
  const engine = await findEngineById(host.db, id);
  if (engine === null) throw new ApiError("ENGINE_NOT_FOUND", `no engine has the id ${id}`);
  if (!isRunning(engine.state)) throw new ApiError("ENGINE_NOT_RUNNING", `the engine is ${engine.state}`);
  const waiting = await host.transitions.own(id, () => stopForRestart(host, engine, drainS));
  if (waiting === null) throw new ApiError("OPERATION_IN_PROGRESS", "another call has changed the engine; retry later");
  const restarted = host.supervisor.restart(waiting).catch((error: unknown) => {
    // The reaper retries it.
    host.logger.error({ err: error, engine_id: id }, "failed to restart an engine");
  });
  await Promise.race([restarted, delay(host.settings.bootTimeoutMs + QUEUE_MS, host.stopping)]);
  const after = await findEngineById(host.db, id);
  if (after === null) throw new ApiError("ENGINE_NOT_FOUND", "the engine was destroyed while it was restarting");
  if (!isRunning(after.state)) throw new ApiError("BOOT_TIMEOUT", `the engine stopped and is ${after.state}`);
  return engineRecord(host, after);
}

/** Stops the process and moves the engine to `backoff`. Null when another call changed it first. */
async function stopForRestart(
  host: EngineHost,
  engine: EngineRow,
  drainS: number | undefined,
): Promise<EngineRow | null> {
  const product = await findProduct(host.db, engine.product_id);
  const drainMs = (drainS ?? product?.record.policy.drain_s ?? 0) * 1000;
  const end = await endProcess(host, engine, { drainMs, termMs: TERM_MS, restarts: true, stopping: host.stopping });
  if (end.kind === "survived") {
    // Unsupervised, so that the reaper retries.
    host.live.remove(engine.id, engine.incarnation);
    throw new ProcessSurvived(engine.id, end);
  }
  // The process is gone: without the move its exit would count as a crash.
  const waiting = await retryMove(host, "restart by a call", () => ({
    id: engine.id,
    from: ["running", "unhealthy"],
    to: "backoff",
    incarnation: engine.incarnation,
    set: {
      handle: null,
      next_restart_at: new Date(host.now()),
      restart_count: 0,
      restart_window_started_at: null,
    },
    event: { type: "engine.stopped", reason: "restart", data: { result: end.kind } },
  }));
  return waiting ?? null;
}
