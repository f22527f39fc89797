import type { StopResult } from "../../contract/orchestrator-api.ts";
import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import type { EngineProcess } from "../fleet/engine-backend.ts";
import { type StatusOutcome, drainEngine, engineStatus } from "../fleet/engine-control.ts";
import { portFreed } from "../fleet/port-check.ts";
import { portHolders } from "../fleet/port-holders.ts";
import type { EngineRow } from "../store/tables.ts";
import { engineUrl } from "../status/engine-record.ts";
import { buildLastError } from "./last-error.ts";
import { controlToken } from "./launch-order.ts";
import type { HostContext } from "../host-context.ts";

const DRAIN_POLL_MS = 50;
const MAX_DRAIN_FAILURES = 3;
const PORT_FREE_MS = 2000;
/** After this an engine that would not die is ended once more, and again, until it is gone. */
const STOP_RETRY_MS = 30_000;

export type ProcessEnd =
  | { readonly kind: StopResult }
  /** Neither TERM nor KILL ended these, or they keep the engine's port. */
  | Survived;

export interface Survived {
  readonly kind: "survived";
  readonly pids: readonly number[];
  readonly reason: string;
}

/**
 * Ends the process of an engine whose row says `stopping` or `destroying`. A boot in flight is called off first.
 * `drained`: no turn was running when it was told to end; `cut_off`: one still was; `killed`: it took a KILL.
 */
export async function endProcess(
  host: Pick<HostContext, "backend" | "live" | "boots" | "box" | "settings">,
  engine: EngineRow,
  { drainMs, termMs }: { readonly drainMs: number; readonly termMs: number },
): Promise<ProcessEnd> {
  const boot = host.boots.get(engine.id);
  boot?.abort("stopped");
  await boot?.settled.catch(() => undefined);
  const live = host.live.get(engine.id);
  if (live !== undefined) live.isStopping = true;
  const process = live?.process ?? recordedProcess(host, engine);
  if (process === null) return leftovers(host, engine);
  const busy = await drain(host, engine, { process, drainMs });
  const outcome = await process.stop(termMs);
  if (outcome.kind === "survived") return processesSurvive(outcome.pids);
  host.live.remove(engine.id, engine.incarnation);
  const held = await heldPort(host, engine);
  if (held !== null) return held;
  return { kind: outcome.kind === "killed" ? "killed" : busy ? "cut_off" : "drained" };
}

/** The engine itself is gone; what it may have left of its children is ended. */
async function leftovers(host: Pick<HostContext, "backend" | "settings">, engine: EngineRow): Promise<ProcessEnd> {
  const outcome = await host.backend.endOrphans(engine.incarnation);
  if (outcome.kind === "survived") return processesSurvive(outcome.pids);
  // A port that this life had is looked at; one that was only reserved may have been another program's all along.
  const had = engine.pid !== null || engine.last_error?.phase === "stop";
  return (had ? await heldPort(host, engine) : null) ?? { kind: "drained" };
}

const processesSurvive = (pids: readonly number[]): Survived => ({
  kind: "survived",
  pids,
  reason: `processes ${pids.join(", ")} do not die`,
});

/** Somebody who listens on the port of an engine that has ended: a child that got away, or a program that is not ours. */
async function heldPort(host: Pick<HostContext, "settings">, { port }: EngineRow): Promise<Survived | null> {
  if (await portFreed(host.settings.engineHost, port, PORT_FREE_MS)) return null;
  const pids = portHolders(port);
  const who = pids.length === 0 ? "another program" : `process ${pids.join(", ")}`;
  return { kind: "survived", pids, reason: `${who} keeps port ${port}` };
}

/** Leaves an engine that would not die as `stop_failed`, to be ended again later, and refuses the call. */
export async function recordStopFailure(
  host: Pick<HostContext, "states" | "settings" | "now" | "logger">,
  { id, incarnation }: EngineRow,
  { from, end }: { readonly from: "stopping" | "destroying"; readonly end: Survived },
): Promise<never> {
  const lastError = await buildLastError(host, id, { phase: "stop", reason: end.reason });
  await host.states.move({
    id,
    from: [from],
    to: "stop_failed",
    incarnation,
    set: { last_error: JSON.stringify(lastError), deadline_at: new Date(host.now() + STOP_RETRY_MS) },
    event: { reason: end.reason, data: { pids: end.pids } },
  });
  throw new ApiError("BACKEND_ERROR", `engine ${id}: ${end.reason}`);
}

/** The process an earlier daemon started, if it is provably still that one. */
export function recordedProcess(host: Pick<HostContext, "backend">, row: EngineRow): EngineProcess | null {
  const { pid, boot_id, process_start, incarnation } = row;
  if (pid === null || boot_id === null || process_start === null) return null;
  return host.backend.attach({ pid, bootId: boot_id, startTime: process_start }, incarnation);
}

/** Whether turns were still running when the waiting ended. An engine that does not answer has none to wait for. */
async function drain(
  host: Pick<HostContext, "box" | "settings">,
  engine: EngineRow,
  { process, drainMs }: { process: EngineProcess; drainMs: number },
): Promise<boolean> {
  const target = { url: engineUrl(host.settings.engineHost, engine.port), token: controlToken(host, engine) };
  const gone = new AbortController();
  void process.exited.then(() => gone.abort());
  const end = performance.now() + drainMs;
  let failures = 0;
  let drained = false;
  for (;;) {
    const answer: StatusOutcome = await (drained ? engineStatus(target) : drainEngine(target));
    drained ||= answer.kind === "ok";
    failures = answer.kind === "ok" ? 0 : failures + 1;
    const busy = answer.kind === "ok" && answer.status.active_turns > 0;
    const waiting = busy || (answer.kind === "failed" && failures < MAX_DRAIN_FAILURES);
    const leftMs = end - performance.now();
    if (!waiting || leftMs <= 0 || gone.signal.aborted) return busy && !gone.signal.aborted;
    await delay(Math.min(DRAIN_POLL_MS, Math.max(leftMs, 1)), gone.signal);
  }
}
