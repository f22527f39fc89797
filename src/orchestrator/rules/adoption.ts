import type { EngineState } from "../../contract/orchestrator-api.ts";

/**
 * What a starting daemon sees of an engine's recorded process: `answers` with the engine's identity; `silent` is
 * provably that process but does not answer; `gone`; `rebooted` when the machine has started anew since.
 */
export type Observed = "answers" | "silent" | "gone" | "rebooted";

export type Adoption =
  | "adopt"
  /** End what is silent, then as after a crash: the restart rule decides. */
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
 *                           answers      silent          gone            rebooted
 * wanted (running, …)       adopt        as crashed      as crashed      start again
 * wanted, in backoff        start when due, whatever is seen
 * being provisioned         undo, whatever is seen
 * stopping                  finish the stop, whatever is seen
 * destroying                finish the destroy, whatever is seen
 * at rest                   rest, whatever is seen
 */
export function judgeLeft({
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
      return provisioned ? judgeWanted(observed) : "undo";
    case "running":
    case "unhealthy":
      return judgeWanted(observed);
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

function judgeWanted(observed: Observed): Adoption {
  if (observed === "answers") return "adopt";
  return observed === "rebooted" ? "start_again" : "as_crashed";
}
