import type { TurnRecord } from "@orchd/client";

const GROUP: Readonly<Record<TurnRecord["state"], string>> = {
  running: "changing",
  waiting_for_human: "asleep",
  completed: "running",
  errored: "failed",
};

/** The state in words, or the code of the error. */
export const TurnState = ({ state, error }: Pick<TurnRecord, "state" | "error">) => (
  <span class={`state ${GROUP[state]}`}>
    <span class="dot" aria-hidden="true" />
    {error ?? (state === "waiting_for_human" ? "waits for a person" : state)}
  </span>
);
