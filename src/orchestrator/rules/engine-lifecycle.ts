import type { EngineState } from "../../contract/orchestrator/requests.ts";

/**
 * The state machine of an engine: each state and the states it may enter next.
 *
 * provisioning  row, port and key exist; no process yet     starting     a process runs, not yet healthy
 * running       the health answer carries our identity      unhealthy    the process runs, probes fail
 * sleeping      with a handle: going to sleep; without: asleep, its socket is held and a call wakes it
 * backoff       it exited, restarts at `next_at`            stopping     draining, then TERM, then KILL
 * stopped       not running, by request                     failed       not running, gave up or failed to boot
 * stop_failed   survived SIGKILL or port still in use       destroying   being deleted
 *
 * The row may be deleted in `provisioning`, `starting` (a failed provision) and `destroying`.
 */
const MOVES: Readonly<Record<EngineState, readonly EngineState[]>> = {
  // `stopped`: a provision without a start.
  provisioning: ["starting", "stopped", "destroying"],
  // Into itself: the process of a claimed start is recorded.
  starting: ["starting", "running", "failed", "backoff", "stopping", "destroying"],
  // Into itself: a process that was restarted without the database is recorded.
  running: ["running", "unhealthy", "sleeping", "backoff", "failed", "stopping", "destroying"],
  unhealthy: ["unhealthy", "running", "backoff", "failed", "stopping", "destroying"],
  // Into itself: its process is gone. Back to running: the engine had work.
  sleeping: ["sleeping", "running", "starting", "stopping", "stopped", "destroying"],
  backoff: ["starting", "failed", "stopping", "destroying"],
  stopping: ["stopped", "stop_failed", "destroying"],
  stopped: ["starting", "destroying"],
  failed: ["starting", "stopped", "destroying"],
  stop_failed: ["stopping", "stopped", "destroying"],
  destroying: ["stop_failed"],
};

export const mayMove = (from: EngineState, to: EngineState): boolean => MOVES[from].includes(to);

export const isRunning = (state: EngineState): boolean => state === "running" || state === "unhealthy";

/** States that an operation must leave before a deadline. */
export const isTransient = (state: EngineState): boolean =>
  state === "provisioning" || state === "starting" || state === "stopping" || state === "destroying";

/** Whether a sleeping engine has no process left. One that has a process may still refuse to sleep. */
export const isAsleep = ({ state, handle }: { readonly state: EngineState; readonly handle: object | null }): boolean =>
  state === "sleeping" && handle === null;

/**
 * Whether the keys that an engine's start has for the broker hold. One that is stopping still ends its turns, and one that
 * is about to sleep may refuse to.
 */
export const mayCallBroker = (engine: { readonly state: EngineState; readonly handle: object | null }): boolean =>
  CALLING.has(engine.state) || (engine.state === "sleeping" && !isAsleep(engine));

const CALLING: ReadonlySet<EngineState> = new Set(["provisioning", "starting", "running", "unhealthy", "stopping"]);

/** Whether a call can reach an engine, by its state. */
type Reachability =
  /** Its process listens, or is about to stop listening. */
  | "up"
  /** Its process is starting or stopping. */
  | "changing"
  | "asleep"
  /** Only a start request starts it. */
  | "down";

export function reachability(engine: { readonly state: EngineState; readonly handle: object | null }): Reachability {
  switch (engine.state) {
    case "running":
    case "unhealthy":
      return "up";
    case "sleeping":
      return isAsleep(engine) ? "asleep" : "changing";
    case "provisioning":
    case "starting":
    case "backoff":
    case "stopping":
      return "changing";
    case "stopped":
    case "failed":
    case "stop_failed":
    case "destroying":
      return "down";
    default:
      return engine.state satisfies never;
  }
}

type Verdict<Code extends string> = "go" | Code;

export function mayStart(state: EngineState): Verdict<"ENGINE_ALREADY_RUNNING" | "OPERATION_IN_PROGRESS"> {
  if (isRunning(state)) return "ENGINE_ALREADY_RUNNING";
  return state === "stopped" || state === "failed" || state === "backoff" || state === "sleeping"
    ? "go"
    : "OPERATION_IN_PROGRESS";
}

export function mayStop(state: EngineState): Verdict<"ENGINE_NOT_RUNNING" | "OPERATION_IN_PROGRESS"> {
  if (state === "stopped" || state === "failed") return "ENGINE_NOT_RUNNING";
  const isTransient = state === "provisioning" || state === "stopping" || state === "destroying";
  return isTransient ? "OPERATION_IN_PROGRESS" : "go";
}

/** `already`: it is asleep, or falling asleep. */
export function maySleep(state: EngineState): Verdict<"already" | "ENGINE_NOT_RUNNING" | "OPERATION_IN_PROGRESS"> {
  if (state === "sleeping") return "already";
  if (isTransient(state)) return "OPERATION_IN_PROGRESS";
  return state === "running" ? "go" : "ENGINE_NOT_RUNNING";
}
