import type { EngineState } from "../../contract/orchestrator/requests.ts";

/**
 * What a starting daemon observes of an engine's recorded process.
 *
 * answers     it answers with the engine's identity
 * draining    it answers and accepts no turns: an earlier daemon was about to stop it
 * estranged   it answers and refuses the token of this daemon, which has another ORCH_SECRET_KEY
 * silent      the process runs and does not answer
 * displaced   another program answers on its port
 * gone        there is no such process
 * rebooted    the machine was rebooted since
 * unknown     the backend cannot tell now
 */
export type Observed = "answers" | "draining" | "estranged" | "silent" | "displaced" | "gone" | "rebooted" | "unknown";

export type Adoption =
  | "adopt"
  /** Adopt it as unhealthy: it may only be slow. If it stays silent, its probes restart it. */
  | "adopt_silent"
  /** Stop what remains of it, then apply the restart rule as after a crash. */
  | "as_crashed"
  /** Restart without counting a crash: the machine was rebooted. */
  | "start_again"
  /** Stop what remains of it and start it again, without counting a crash: its start was interrupted, not by the engine. */
  | "retry_start"
  | "start_when_due"
  /** Wait until its process is gone, and stop it after a timeout. */
  | "finish_sleep"
  /** Finish the stop of the earlier daemon, or stop the engine, then start it again. */
  | "finish_drain"
  | "finish_stop"
  | "finish_destroy"
  /** Undo a provision whose client never got the key. */
  | "undo"
  /** Change nothing. The reaper observes it again. */
  | "ask_again"
  | "none";

/**
 * What a starting daemon does with an engine of an earlier daemon.
 *
 *                       answers   silent         displaced      gone           rebooted       unknown
 * running, unhealthy    adopt     adopt silent   as crashed     as crashed     start again    ask again
 * starting              adopt     retry start    as crashed     retry start    start again    ask again
 * sleeping              adopt     finish sleep   finish sleep   finish sleep   finish sleep   ask again
 * `draining` and `estranged` are like `answers`, except that the drain (first two rows) or the sleep (third row) is finished.
 * backoff                   ask again if unknown; else start when due, after the end of what is observed
 * provisioning              undo, whatever is observed
 * stopping                  finish the stop, whatever is observed
 * destroying                finish the destroy, whatever is observed
 * stopped, failed           none, whatever is observed
 */
export function judgeAdoption({
  state,
  provisioned,
  observed,
}: {
  readonly state: EngineState;
  readonly provisioned: boolean;
  readonly observed: Observed;
}): Adoption {
  switch (state) {
    case "provisioning":
      return "undo";
    case "starting":
      return provisioned ? judgeStarting(observed) : "undo";
    case "running":
    case "unhealthy":
      return judgeWanted(observed, "adopt_silent");
    case "sleeping":
      if (observed === "unknown") return "ask_again";
      return observed === "answers" ? "adopt" : "finish_sleep";
    case "backoff":
      return observed === "unknown" ? "ask_again" : "start_when_due";
    case "stopping":
      return "finish_stop";
    case "destroying":
      return "finish_destroy";
    case "stopped":
    case "failed":
    case "stop_failed":
      return "none";
    default:
      return state satisfies never;
  }
}

/** A process that starts ends, or waits for orders, when its daemon ends. */
const judgeStarting = (observed: Observed): Adoption =>
  observed === "gone" ? "retry_start" : judgeWanted(observed, "retry_start");

function judgeWanted(observed: Observed, whenSilent: Adoption): Adoption {
  switch (observed) {
    case "answers":
      return "adopt";
    case "draining":
    case "estranged":
      return "finish_drain";
    case "silent":
      return whenSilent;
    case "displaced":
    case "gone":
      return "as_crashed";
    case "rebooted":
      return "start_again";
    case "unknown":
      return "ask_again";
    default:
      return observed satisfies never;
  }
}
