import type { EngineState } from "../../contract/orchestrator-api.ts";

/**
 * What a starting daemon sees of an engine's recorded process: `answers` with the engine's identity; `silent` is
 * provably that process but does not answer; of a `displaced` one somebody else answers on the port; `gone`; `rebooted`
 * when the machine has started anew since.
 */
export type Observed = "answers" | "silent" | "displaced" | "gone" | "rebooted";

export type Adoption =
  | "adopt"
  /** As unhealthy: it may only be slow, and if it stays silent the watch restarts it. */
  | "adopt_silent"
  /** End what is left of it, then as after a crash: the restart rule decides. */
  | "as_crashed"
  /** Wanted, and ended through no fault of its own. */
  | "start_again"
  | "start_when_due"
  | "finish_stop"
  | "finish_destroy"
  /** A provision whose caller never got the key. */
  | "undo"
  | "rest";

/**
 * What a starting daemon does with an engine that an earlier one left.
 *
 *                           answers    silent          displaced, gone    rebooted
 * running, unhealthy        adopt      adopt silent    as crashed         start again
 * starting                  adopt      as crashed      as crashed         start again
 * wanted, in backoff        start when due, whatever is seen
 * being provisioned         undo, whatever is seen
 * stopping                  finish the stop, whatever is seen
 * destroying                finish the destroy, whatever is seen
 * at rest                   rest, whatever is seen
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
      return provisioned ? judgeWanted(observed, "as_crashed") : "undo";
    case "running":
    case "unhealthy":
      return judgeWanted(observed, "adopt_silent");
    case "backoff":
      return "start_when_due";
    case "stopping":
      return "finish_stop";
    case "destroying":
      return "finish_destroy";
    case "stopped":
    case "failed":
    case "stop_failed":
      return "rest";
    default:
      return state satisfies never;
  }
}

function judgeWanted(observed: Observed, whenSilent: Adoption): Adoption {
  switch (observed) {
    case "answers":
      return "adopt";
    case "silent":
      return whenSilent;
    case "displaced":
    case "gone":
      return "as_crashed";
    case "rebooted":
      return "start_again";
    default:
      return observed satisfies never;
  }
}
