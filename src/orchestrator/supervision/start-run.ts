import * as z from "zod/mini";
import { EFFORTS } from "../../contract/engine/model-choice.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { type BegunTurn, type TurnToStart, findTurn, startTurn, withdrawTurn } from "../engine-calls/engine-turns.ts";
import { isRunning } from "../rules/engine-lifecycle.ts";
import { runDenial } from "../rules/admission.ts";
import { findEngineById } from "../store/engines.ts";
import type { RunRow } from "../store/schedule-tables.ts";
import { findRun } from "../store/scheduled-runs.ts";
import type { EngineRow } from "../store/tables.ts";
import type { RunEnd } from "./end-run.ts";
import { inSleepLane } from "./sleep-lane.ts";

type StartAttempt =
  | { readonly kind: "started"; readonly turn: BegunTurn }
  /** The engine has its message, which waits for the turn before. */
  | { readonly kind: "queued" }
  /** The start is retried. */
  | { readonly kind: "later"; readonly reason: string }
  | ({ readonly kind: "ended" } & RunEnd)
  /** Its schedule or its engine was deleted, or it was started already. */
  | { readonly kind: "gone" };

const turnToStart = z.object({
  message: z.string(),
  task_id: z.string(),
  agent: z.exactOptional(z.string()),
  model: z.exactOptional(z.string()),
  effort: z.exactOptional(z.enum(EFFORTS)),
  metadata: z.record(z.string(), z.string()),
});

/** The turn's request as the run stores it until its end. It is encrypted, since it contains messages of users. */
export const sealTurn = ({ box }: Pick<HostContext, "box">, turn: TurnToStart): Buffer =>
  box.seal(JSON.stringify(turn));

/**
 * Tries once to start the turn of a run, and wakes its engine for it. The run's id is the key of the engine's call, so
 * that a turn whose answer was lost is found and not started again.
 */
export async function startRun(host: EngineHost, { id }: RunRow): Promise<StartAttempt> {
  const run = await findRun(host.db, id);
  if (run === null || run.state !== "waiting" || run.request === null) return { kind: "gone" };
  const engine = await findEngineById(host.db, run.engine_id);
  const policy = await host.directory.policyOf(run.product_id);
  if (engine === null || policy === null || engine.state === "destroying") return { kind: "gone" };
  const problem = runDenial(policy) ?? engineProblem(engine);
  if (problem !== null) return { kind: "ended", state: "refused", error: problem };
  const asleep = await wakeForRun(host, engine);
  if (asleep !== null) return { kind: "later", reason: asleep };
  const request = z.parse(turnToStart, JSON.parse(host.box.open(run.request)));
  // An engine that is falling asleep accepts no connection, and the call would wake it at once.
  return inSleepLane(host, engine.id, () => callEngine(host, run, request));
}

async function callEngine(
  host: Pick<HostContext, "live" | "now">,
  run: RunRow,
  request: TurnToStart,
): Promise<StartAttempt> {
  const live = host.live.get(run.engine_id);
  if (live === undefined || live.isStopping) return { kind: "later", reason: "the engine is starting or stopping" };
  const target = { url: live.url, token: live.controlToken };
  if (mayStart(host, run)) {
    const outcome = await startTurn(target, { key: run.id, request });
    if (outcome.kind !== "refused") return outcome;
    // When the engine crashes, its next process accepts the waiting call, and refuses the token of the last incarnation.
    const isSame = host.live.get(live.id)?.incarnation === live.incarnation;
    return isSame
      ? { kind: "ended", state: "failed", error: outcome.reason }
      : { kind: "later", reason: "the engine restarted" };
  }
  // An earlier call may have started it, or its message still waits.
  const key = keyOf(run);
  const earlier = await findTurn(target, key);
  const found = earlier.kind === "queued" ? await withdrawTurn(target, key) : earlier;
  if (found.kind === "found") return { kind: "started", turn: found.turn };
  if (found.kind === "failed") return { kind: "later", reason: found.reason };
  const waited = run.error === null ? "" : `: ${run.error}`;
  return { kind: "ended", state: "missed", error: `it could not start until ${run.start_by.toISOString()}${waited}` };
}

/** Whether a run's time is not over. */
export const mayStart = (host: Pick<HostContext, "now">, run: RunRow): boolean => host.now() <= run.start_by.getTime();

/** The key of a run's turn, and its task: one without a conversation of its schedule has its own. */
export const keyOf = ({ id, task_id }: RunRow) => ({ key: id, task_id: task_id ?? id });

/** Wakes a sleeping engine for a run. Null when no wake is needed or it succeeded, else why it failed. */
export async function wakeForRun(
  host: Pick<HostContext, "supervisor" | "wakes">,
  engine: EngineRow,
): Promise<string | null> {
  if (engine.state !== "sleeping" && !host.wakes.has(engine.id)) return null;
  const outcome = await host.supervisor.wake(engine.id, "schedule");
  return outcome.kind === "failed" ? outcome.error.message : null;
}

/** Why an engine starts no turns until a call starts it. Null for an engine that runs, sleeps or is about to run. */
function engineProblem({ state, desired_state: wanted }: EngineRow): string | null {
  if (isRunning(state) || wanted === "running") return state === "failed" ? "the engine has failed; start it" : null;
  return `the engine is ${state}; start it`;
}
