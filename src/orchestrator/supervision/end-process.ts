import type { EngineStatus } from "../../contract/engine/status.ts";
import type { EngineState, StopResult } from "../../contract/orchestrator/requests.ts";
import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import { ApiError, daemonStops } from "../api-error.ts";
import type { EngineProcess, StopOutcome, Survived } from "../fleet/engine-backend.ts";
import { type StatusOutcome, drainEngine, engineStatus } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { findSettledEngine } from "../store/engines.ts";
import { storeUsageCollected } from "../store/metered-usage.ts";
import type { EngineRow } from "../store/tables.ts";
import { buildLastError } from "./last-error.ts";
import { controlToken } from "./launch-order.ts";
import { ProcessSurvived } from "./process-survived.ts";
import { claimSettled } from "./claim-lane.ts";
import { sleepSettled } from "./sleep-lane.ts";
import { currentIncarnation } from "./new-incarnation.ts";
import { returnLeases } from "./sync-budgets.ts";
import { isCollected, readEngineStatus } from "./read-engine-status.ts";
import type { BootInFlight, EngineHost, HostContext } from "../host-context.ts";

const DRAIN_POLL_MS = 50;
const MAX_DRAIN_FAILURES = 3;
/** How long after a failed stop the stop is retried. */
const STOP_RETRY_MS = 30_000;

export type ProcessEnd =
  | { readonly kind: StopResult }
  /** Processes survived, or something still answers at the engine's address. */
  | Survived;

interface EndOptions {
  readonly drainMs: number;
  readonly termMs: number;
  readonly restarts?: boolean;
  /** Whether it does not matter that something still listens at the engine's address, such as a frozen leader. */
  readonly leavesAddress?: boolean;
  readonly stopping?: AbortSignal;
}

/**
 * Stops the process of an engine and releases its port, unless `restarts`: then its socket stays, and calls wait for the
 * next process. A boot in flight is cancelled first.
 * `drained`: no turn was running at SIGTERM; `cut_off`: a turn was running; `killed`: it took SIGKILL.
 * Throws SERVICE_UNAVAILABLE when `stopping` is aborted during the drain: the next daemon finishes it.
 */
export async function endProcess(host: EngineHost, engine: EngineRow, options: EndOptions): Promise<ProcessEnd> {
  await claimSettled(host, engine.id);
  await endBoot(host.boots.get(engine.id));
  return endBooted(host, engine, options);
}

/**
 * Like {@link endProcess}, for who has not moved the row. Null, and nothing is ended, when it has another incarnation or
 * has left the states `from` by the end of its boot: it has become `running`, or a later operation has taken it over.
 */
export async function endProcessIf(
  host: EngineHost,
  engine: EngineRow,
  { from, ...options }: EndOptions & { readonly from: readonly EngineState[] },
): Promise<ProcessEnd | null> {
  await claimSettled(host, engine.id);
  const boot = host.boots.get(engine.id);
  if (boot !== undefined && boot.incarnation !== engine.incarnation) return null;
  await endBoot(boot);
  const row = await findSettledEngine(host.db, engine.id);
  const isStill = row?.incarnation === engine.incarnation && from.includes(row.state);
  return isStill ? endBooted(host, engine, options) : null;
}

async function endBoot(boot: BootInFlight | undefined): Promise<void> {
  boot?.abort("stopped");
  await boot?.settled.catch(() => undefined);
}

async function endBooted(host: EngineHost, engine: EngineRow, options: EndOptions): Promise<ProcessEnd> {
  const { drainMs, termMs, restarts = false, leavesAddress = false, stopping } = options;
  // A sleep in progress could hold the socket again.
  await sleepSettled(host, engine.id);
  const live = host.live.get(engine.id);
  if (live !== undefined) live.isStopping = true;
  const process = live?.process ?? (await recordedProcess(host, engine));
  if (process === null) return stopOrphans(host, engine, options);
  const { busy, answers } = await drain(host, engine, { process, drainMs, stopping });
  // The engine's counters are lost with its process.
  const last = answers && live !== undefined ? await readEngineStatus(host, live) : null;
  if (live !== undefined && last !== null && spendsNoMore(live, last))
    await storeUsageCollected(host.db, live).catch(() => undefined);
  const outcome = await process.stop(termMs);
  if (outcome.kind === "survived") return outcome;
  if (live !== undefined && last !== null) await returnLeases(host, live, last.budgets);
  host.live.remove(engine.id, engine.incarnation);
  if (restarts && host.backend.sockets.isHeld(engine.id)) return ended(outcome, busy);
  host.backend.sockets.release(engine.id);
  const conflict = leavesAddress ? null : await host.backend.addressConflict(currentIncarnation(engine));
  return conflict ?? ended(outcome, busy);
}

/** Whether a draining engine can spend nothing more, and its usage is collected. */
const spendsNoMore = (live: LiveEngine, last: EngineStatus): boolean =>
  last.active_turns === 0 && !last.awake.includes("learning") && isCollected(live, last);

const ended = (outcome: StopOutcome, busy: boolean): ProcessEnd => ({
  kind: outcome.kind === "killed" ? "killed" : busy ? "cut_off" : "drained",
});

/** The engine's own process is gone. Stops child processes that outlived it. */
async function stopOrphans(
  host: Pick<HostContext, "backend" | "settings">,
  engine: EngineRow,
  { restarts = false, leavesAddress = false }: EndOptions,
): Promise<ProcessEnd> {
  const outcome = await host.backend.endOrphans(currentIncarnation(engine));
  if (outcome.kind === "survived") return outcome;
  if (restarts && host.backend.sockets.isHeld(engine.id)) return { kind: "drained" };
  host.backend.sockets.release(engine.id);
  // Only a port that this incarnation listened on is checked. A reserved one may belong to another program.
  const listened = !leavesAddress && (engine.handle !== null || engine.last_error?.phase === "stop");
  return (listened ? await host.backend.addressConflict(currentIncarnation(engine)) : null) ?? { kind: "drained" };
}

/** Moves the engine to `stop_failed`, from where the stop is retried, and throws BACKEND_ERROR. */
export async function recordStopFailure(
  host: Pick<HostContext, "states" | "backend" | "now" | "logger">,
  engine: EngineRow,
  { from, end }: { readonly from: "stopping" | "destroying"; readonly end: Survived },
): Promise<never> {
  const { id, incarnation } = engine;
  const lastError = await buildLastError(host, engine, { phase: "stop", reason: end.reason });
  await host.states.move({
    id,
    from: [from],
    to: "stop_failed",
    incarnation,
    set: { last_error: JSON.stringify(lastError), deadline_at: new Date(host.now() + STOP_RETRY_MS) },
    event: { reason: end.reason, data: end.data },
  });
  throw new ProcessSurvived(id, end);
}

/**
 * The process that the row records, or null when it is gone. Throws BACKEND_ERROR while the backend cannot tell. The row
 * is unchanged then, and the reaper retries.
 */
export async function recordedProcess(
  host: Pick<HostContext, "backend">,
  row: EngineRow,
): Promise<EngineProcess | null> {
  if (row.handle === null) return null;
  const found = await host.backend.attach(currentIncarnation(row), row.handle);
  if (found.kind === "unknown")
    throw new ApiError("BACKEND_ERROR", `engine ${row.id}: whether it runs is unknown: ${found.reason}`);
  return found.kind === "running" ? found.process : null;
}

/** Waits for running turns. `busy`: some still run at the end. An engine that does not answer counts as idle. */
async function drain(
  host: Pick<HostContext, "box" | "settings">,
  engine: EngineRow,
  {
    process,
    drainMs,
    stopping,
  }: { readonly process: EngineProcess; readonly drainMs: number; readonly stopping: AbortSignal | undefined },
): Promise<{ readonly busy: boolean; readonly answers: boolean }> {
  const target = { url: process.address, token: controlToken(host, engine) };
  const exited = new AbortController();
  const abort = () => exited.abort();
  process.exited.then(abort, abort);
  const end = new Deadline(drainMs);
  let failures = 0;
  let drained = false;
  for (;;) {
    const answer: StatusOutcome = await (drained ? engineStatus(target) : drainEngine(target));
    drained ||= answer.kind === "ok";
    failures = answer.kind === "ok" ? 0 : failures + 1;
    const busy = answer.kind === "ok" && answer.status.active_turns > 0;
    const waiting = busy || (answer.kind === "failed" && failures < MAX_DRAIN_FAILURES);
    const leftMs = end.leftMs;
    const isGone = exited.signal.aborted;
    if (!waiting || leftMs <= 0 || isGone) return { busy: busy && !isGone, answers: answer.kind === "ok" && !isGone };
    if (stopping?.aborted) throw daemonStops();
    await delay(Math.min(DRAIN_POLL_MS, Math.max(leftMs, 1)), exited.signal);
  }
}
