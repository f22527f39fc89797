import type { TaskRecord } from "@orchd/client";

/** What a conversation does. One that does nothing has no badge. */
export const TaskStateBadge = ({ state }: Pick<TaskRecord, "state">) =>
  state === "idle" ? null : (
    <span class={`state ${state === "running" ? "running" : "changing"}`}>
      <span class="dot" />
      {state}
    </span>
  );
