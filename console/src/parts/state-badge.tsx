import type { EngineState } from "@orchd/client";

export type StateGroup = "running" | "asleep" | "changing" | "stopped" | "failed";
export const STATE_GROUPS: readonly StateGroup[] = ["running", "asleep", "changing", "stopped", "failed"];

const GROUP: Readonly<Record<EngineState, StateGroup>> = {
  provisioning: "changing",
  starting: "changing",
  running: "running",
  unhealthy: "failed",
  sleeping: "asleep",
  backoff: "failed",
  stopping: "changing",
  stopped: "stopped",
  failed: "failed",
  stop_failed: "failed",
  destroying: "changing",
};
export const groupOf = (state: EngineState): StateGroup => GROUP[state] ?? "changing";

/** The state in words; its colour only repeats them. */
export const StateBadge = ({ state }: { readonly state: EngineState }) => (
  <span class={`state ${groupOf(state)}`}>
    <span class="dot" aria-hidden="true" />
    {state.replace("_", " ")}
  </span>
);
