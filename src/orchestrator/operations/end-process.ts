import type { StopResult } from "../../contract/orchestrator-api.ts";
import { delay } from "../../kit/clock.ts";
import type { EngineProcess } from "../fleet/engine-backend.ts";
import { type StatusOutcome, drainEngine, engineStatus } from "../fleet/engine-control.ts";
import type { EngineRow } from "../store/tables.ts";
import { engineUrl } from "./engine-record.ts";
import { controlToken } from "./launch-order.ts";
import type { Orchestration } from "./orchestration.ts";

const DRAIN_POLL_MS = 50;
const MAX_DRAIN_FAILURES = 3;

export type ProcessEnd =
  | { readonly kind: StopResult }
  /** Neither TERM nor KILL ended these. */
  | { readonly kind: "survived"; readonly pids: readonly number[] };

/**
 * Ends the process of an engine whose row says `stopping` or `destroying`. A boot in flight is called off first.
 * `drained`: no turn was running when it was told to end; `cut_off`: one still was; `killed`: it took a KILL.
 */
export async function endProcess(
  o: Orchestration,
  engine: EngineRow,
  { drainMs, termMs }: { readonly drainMs: number; readonly termMs: number },
): Promise<ProcessEnd> {
  const boot = o.boots.get(engine.id);
  boot?.abort("stopped");
  await boot?.settled.catch(() => undefined);
  const process = o.live.get(engine.id)?.process ?? recordedProcess(o, engine);
  if (process === null) return leftovers(o, engine);
  const busy = await drain(o, engine, { process, drainMs });
  const outcome = await process.stop(termMs);
  o.live.remove(engine.id, engine.incarnation);
  switch (outcome.kind) {
    case "exited":
      return { kind: busy ? "cut_off" : "drained" };
    case "killed":
      return { kind: "killed" };
    case "survived":
      return outcome;
    default:
      return outcome satisfies never;
  }
}

/** The engine itself is gone; what it may have left of its children is ended. */
async function leftovers(o: Orchestration, { incarnation }: EngineRow): Promise<ProcessEnd> {
  const outcome = await o.backend.endLeftovers(incarnation);
  return outcome.kind === "survived" ? outcome : { kind: "drained" };
}

/** The process an earlier daemon started, if it is provably still that one. */
export function recordedProcess(o: Orchestration, row: EngineRow): EngineProcess | null {
  const { pid, boot_id, process_start, incarnation } = row;
  if (pid === null || boot_id === null || process_start === null) return null;
  return o.backend.attach({ pid, bootId: boot_id, startTime: process_start }, incarnation);
}

/** Whether turns were still running when the waiting ended. An engine that does not answer has none to wait for. */
async function drain(
  o: Orchestration,
  engine: EngineRow,
  { process, drainMs }: { process: EngineProcess; drainMs: number },
): Promise<boolean> {
  const target = { url: engineUrl(o.settings.engineHost, engine.port), token: controlToken(o, engine) };
  const gone = new AbortController();
  void process.exited.then(() => gone.abort());
  const end = o.now() + drainMs;
  let failures = 0;
  let drained = false;
  for (;;) {
    const answer: StatusOutcome = await (drained ? engineStatus(target) : drainEngine(target));
    drained ||= answer.kind === "ok";
    failures = answer.kind === "ok" ? 0 : failures + 1;
    const busy = answer.kind === "ok" && answer.status.active_turns > 0;
    const waiting = busy || (answer.kind === "failed" && failures < MAX_DRAIN_FAILURES);
    if (!waiting || o.now() >= end || gone.signal.aborted) return busy && !gone.signal.aborted;
    await delay(Math.min(DRAIN_POLL_MS, Math.max(end - o.now(), 1)), gone.signal);
  }
}
