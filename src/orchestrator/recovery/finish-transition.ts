import type { EngineState } from "../../contract/orchestrator/requests.ts";
import type { EngineProcess } from "../fleet/engine-backend.ts";
import { buildLastError } from "../supervision/last-error.ts";
import { destroyRow } from "../operations/destroy-engine.ts";
import { type ProcessEnd, endProcess, endProcessIf, recordedProcess } from "../supervision/end-process.ts";
import { ProcessSurvived } from "../supervision/process-survived.ts";
import { stopAfterExit, recordAsleep } from "../supervision/put-to-sleep.ts";
import { inSleepLane } from "../supervision/sleep-lane.ts";
import { currentIncarnation } from "../supervision/new-incarnation.ts";
import { retryMove } from "../supervision/retry-until-stopped.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { settleStop } from "../operations/stop-engine.ts";
import { findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";

const TERM_MS = 2000;
const RETRY_DELAY_MS = 1000;

/** Stops a start that is past its deadline, then applies the restart rule. A start that succeeds meanwhile stays. */
export async function abandonStart(host: EngineHost, row: EngineRow): Promise<void> {
  const end = await endProcessIf(host, row, {
    from: ["starting"],
    drainMs: 0,
    termMs: TERM_MS,
    restarts: true,
    leavesAddress: true,
  });
  if (end === null) return;
  throwIfSurvived(row, end);
  const lastError = await buildLastError(host, row, {
    phase: "boot",
    reason: "the start did not finish before its deadline",
  });
  const { id, incarnation } = row;
  await host.supervisor.restartOrFail({ id, incarnation, from: ["starting"], lastError, healthyForMs: 0 });
}

/** Retries a start that the daemon or the database interrupted, without counting a crash. */
export const retryStart = (host: EngineHost, row: EngineRow): Promise<void> =>
  restartUncounted(host, row, {
    drainMs: 0,
    delayMs: RETRY_DELAY_MS,
    from: ["starting"],
    reason: "the start was interrupted, not by the engine",
  });

/** Finishes a drain of an earlier daemon, then restarts the engine: a drain cannot be cancelled. */
export async function finishDrain(host: EngineHost, row: EngineRow): Promise<void> {
  const product = await findProduct(host.db, row.product_id);
  await restartUncounted(host, row, {
    drainMs: (product?.record.policy.drain_s ?? 0) * 1000,
    delayMs: 0,
    from: ["starting", "running", "unhealthy"],
    reason: "the daemon ended while it stopped the engine, or has another ORCH_SECRET_KEY",
  });
}

async function restartUncounted(
  host: EngineHost,
  row: EngineRow,
  {
    drainMs,
    delayMs,
    from,
    reason,
  }: {
    readonly drainMs: number;
    readonly delayMs: number;
    readonly from: readonly EngineState[];
    readonly reason: string;
  },
): Promise<void> {
  const end = await endProcess(host, row, { drainMs, termMs: TERM_MS, restarts: true });
  throwIfSurvived(row, end);
  const { id, incarnation } = row;
  const backoff = await retryMove(host, "uncounted restart", () => ({
    id,
    from,
    to: "backoff",
    incarnation,
    set: { handle: null, next_restart_at: new Date(host.now() + delayMs) },
    event: { type: "engine.restarting", reason },
  }));
  if (backoff) await host.supervisor.restart(backoff);
}

/** The reaper tries again: beside what survived, no second process of the user starts. */
function throwIfSurvived({ id }: EngineRow, end: ProcessEnd): void {
  if (end.kind === "survived") throw new ProcessSurvived(id, end);
}

/** Restarts an engine in `backoff`, after what an earlier daemon may have restarted without the database has ended. */
export async function restartWhenDue(host: EngineHost, row: EngineRow, process: EngineProcess | null): Promise<void> {
  if (process !== null)
    throwIfSurvived(
      row,
      await endProcess(host, row, { drainMs: 0, termMs: TERM_MS, restarts: true, leavesAddress: true }),
    );
  await host.supervisor.restart(row);
}

/** Handles an exit that no daemon observed, or a starting process (`process`) that does not answer. */
export async function handleUnobservedExit(
  host: Pick<HostContext, "backend" | "supervisor" | "now" | "logger">,
  row: EngineRow,
  process: EngineProcess | null,
): Promise<void> {
  const { id, incarnation } = row;
  // Processes that were never recorded, or orphaned children, must be gone before the restart.
  const end = await (process === null ? host.backend.endOrphans(currentIncarnation(row)) : process.stop(TERM_MS));
  if (end.kind === "survived")
    host.logger.error({ engine_id: id, ...end.data, reason: end.reason }, "failed to kill all processes of an engine");
  const reason =
    process === null ? "the engine exited while no daemon supervised it" : "the engine did not answer the new daemon";
  const lastError = await buildLastError(host, row, { phase: "run", reason });
  const healthyForMs = row.started_at === null ? 0 : host.now() - row.started_at.getTime();
  const from = ["starting", "running", "unhealthy"] as const;
  await host.supervisor.restartOrFail({ id, incarnation, from, lastError, healthyForMs });
}

/** Finishes a sleep of another operation or daemon, after the engine did not answer. */
export function finishSleep(host: EngineHost, row: EngineRow): Promise<void> {
  return inSleepLane(host, row.id, async () => {
    const live = host.live.get(row.id);
    const process = live?.process ?? (await recordedProcess(host, row));
    if (process !== null && (await stopAfterExit(process)).kind === "survived") return;
    await recordAsleep(host, row);
  });
}

/** Finishes a stop of another operation or daemon. */
export async function finishStop(host: EngineHost, row: EngineRow): Promise<void> {
  await settleStop(host, row, await endProcess(host, row, { drainMs: 0, termMs: TERM_MS }));
}

/** Finishes a destroy of another operation or daemon, with its `keep_data`. */
export const finishDestroy = (host: EngineHost, row: EngineRow): Promise<void> =>
  destroyRow(host, row, { keepData: row.keep_data });
