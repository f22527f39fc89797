import type { EngineProcess } from "../fleet/engine-backend.ts";
import { buildLastError } from "../supervision/last-error.ts";
import { destroyRow } from "../operations/destroy-engine.ts";
import { endProcess } from "../supervision/end-process.ts";
import { retryMove } from "../supervision/retry-move.ts";
import type { HostContext } from "../host-context.ts";
import { settleStop } from "../operations/stop-engine.ts";
import { restartLater, restartOrFail } from "../supervision/supervise-engine.ts";
import type { EngineRow } from "../store/tables.ts";

const TERM_MS = 2000;
const AFRESH_MS = 1000;

/** Ends a start that nobody will end any more; the restart rule says what follows. */
export async function abandonStart(host: HostContext, row: EngineRow): Promise<void> {
  await endProcess(host, row, { drainMs: 0, termMs: TERM_MS });
  const lastError = await buildLastError(host, row.id, { phase: "boot", reason: "the start did not end in time" });
  const { id, incarnation } = row;
  await restartOrFail(host, { id, incarnation, from: ["starting"], lastError, healthyForMs: 0 });
}

/** A start that the daemon's own trouble cut short, or the database's: begins anew and counts nothing against the engine. */
export async function retryStart(host: HostContext, row: EngineRow): Promise<void> {
  const end = await endProcess(host, row, { drainMs: 0, termMs: TERM_MS });
  if (end.kind === "survived") throw new Error(`engine ${row.id}: ${end.reason}`);
  const { id, incarnation } = row;
  const waiting = await retryMove(host, "start that was cut short", () => ({
    id,
    from: ["starting"],
    to: "backoff",
    incarnation,
    set: { pid: null, boot_id: null, process_start: null, next_restart_at: new Date(host.now() + AFRESH_MS) },
    event: { type: "engine.restarting", reason: "its start was cut short, not by the engine" },
  }));
  if (waiting) await restartLater(host, waiting);
}

/** Goes on after the end of an engine's process that no daemon saw, or of a starting one (`process`) that does not answer. */
export async function handleUnobservedExit(
  host: HostContext,
  row: EngineRow,
  process: EngineProcess | null,
): Promise<void> {
  const { id, incarnation } = row;
  // A start whose process was never written down, or children of one that is gone: no second life beside them.
  const end = await (process === null ? host.backend.endOrphans(incarnation) : process.stop(TERM_MS));
  if (end.kind === "survived")
    host.logger.error({ engine_id: id, pids: end.pids }, "processes of an engine do not die");
  const reason =
    process === null ? "the engine ended while no daemon watched" : "the engine did not answer the new daemon";
  const lastError = await buildLastError(host, id, { phase: "run", reason });
  const healthyForMs = row.started_at === null ? 0 : host.now() - row.started_at.getTime();
  const from = ["starting", "running", "unhealthy"] as const;
  await restartOrFail(host, { id, incarnation, from, lastError, healthyForMs });
}

/** Finishes a stop that somebody else began. */
export async function finishStop(
  host: Pick<HostContext, "states" | "backend" | "live" | "boots" | "box" | "settings" | "now" | "logger">,
  row: EngineRow,
): Promise<void> {
  await settleStop(host, row, await endProcess(host, row, { drainMs: 0, termMs: TERM_MS }));
}

/** Finishes a destroy that somebody else began, keeping the data if that one wanted it. */
export const finishDestroy = (host: HostContext, row: EngineRow): Promise<void> =>
  destroyRow(host, row, { keepData: row.keep_data });
