import type { EngineEventType } from "./events.ts";

/**
 * The events that readers get only when they ask for their group by `events`. In a file without zod, because an engine reads
 * it while it starts.
 */
export const EVENT_GROUPS = {
  message: ["message_queued", "message_taken", "message_removed"],
  tool_input: ["tool_input_delta"],
  model: ["model_changed"],
  file: ["file_changed"],
  hook: ["tool_verdict"],
  knowledge: ["knowledge_found"],
} as const satisfies Readonly<Record<string, readonly EngineEventType[]>>;
export type EventGroup = keyof typeof EVENT_GROUPS;

/** The group of an event that only those who ask get. */
export const OPT_IN_EVENTS: ReadonlyMap<string, EventGroup> = new Map(
  Object.entries(EVENT_GROUPS).flatMap(([group, types]) => types.map((type) => [type, group as EventGroup] as const)),
);
