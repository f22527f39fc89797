import type {
  EngineEvent,
  EnginePage,
  EngineStopped,
  EpisodePage,
  EpisodeRecord,
  KnowledgeRecord,
  Policy,
  SocialNodeRecord,
  TrajectoryRecord,
  WorkingMemoryRecord,
} from "./records.ts";

/** Types that follow from those of the records. */
export type Page<T> = Omit<EnginePage, "data"> & { readonly data: readonly T[] };

export type PolicyAction = Policy["allowed_actions"][number];
export type StopResult = EngineStopped["stop_result"];

/** An event that the engine stores. */
export type StoredEvent = Exclude<EngineEvent, { readonly event: "heartbeat" }>;
/** Fields of the `data` of every stored event. */
export type EventStamp = Pick<StoredEvent["data"], "ts" | "seq" | "task_id" | "turn_id">;
/** Event type to the fields of its data, before the stamp. */
export type EngineEventData = {
  readonly [Event in EngineEvent as Event["event"]]: Omit<Event["data"], keyof EventStamp>;
};
export type EngineEventType = keyof EngineEventData;
/** Only for a sub-agent: its name, and the call of `delegate` that started it. */
export type ForAnother = Pick<EngineEventData["tool_call"], "agent" | "parent_tool_call_id">;

/** List of the memory to its items. */
export interface MemoryItems {
  readonly episodes: EpisodeRecord;
  readonly knowledge: KnowledgeRecord;
  readonly social: SocialNodeRecord;
  readonly working: WorkingMemoryRecord;
  readonly trajectories: TrajectoryRecord;
}
export type MemoryPage<Item> = Omit<EpisodePage, "items"> & { readonly items: readonly Item[] };
