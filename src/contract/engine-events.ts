import type { AttachmentRecord } from "./attachment-records.ts";

/**
 * The 14 events of `POST /execute`. A frame on the wire is exactly
 * `event: <type>\ndata: <json>\n\n`; stored events also carry the stamp below in their data.
 */
export interface EventStamp {
  /** ISO 8601 UTC with milliseconds, strictly rising within the engine. */
  readonly ts: string;
  /** Integer, rising over the engine's life, restarts included. */
  readonly seq: number;
  readonly task_id: string;
  readonly turn_id: string;
}

export type BlockType = "text" | "thinking" | "tool_use";
export type TurnPhase = "started" | "completed" | "errored";
export type HitlKind = "question" | "permission";
export type WorkingMemoryEntryType = "note" | "observation" | "summary";

/** Only for a sub-agent: its name, and the call of `delegate` that started it. */
export interface ForAnother {
  readonly agent?: string;
  readonly parent_tool_call_id?: string;
}

/** Event type to the fields of its data, before the stamp. */
export interface EngineEventData {
  thread_lifecycle: {
    phase: TurnPhase;
    task_id: string;
    turn_id: string;
    timestamp: string;
    /** Only with phase `started`: the files of the turn's message, if it has any. */
    attachments?: readonly AttachmentRecord[];
    /** Only with phase `errored`: the code of the `error` event that follows. */
    error?: string;
    message?: string;
  };
  error: { error: string; message: string; details?: Readonly<Record<string, unknown>> };
  text_delta: { text: string };
  thinking_delta: { text: string };
  content_block_start: {
    block_index: number;
    block_type: BlockType;
    /**
     * Only when a restart cut off an answer that is now repeated: this block replaces those from this
     * index on.
     */
    replaces_from?: number;
  };
  content_block_stop: { block_index: number; block_type: BlockType };
  tool_call: { tool: string; tool_call_id: string; input: Readonly<Record<string, unknown>> } & ForAnother;
  tool_result: {
    tool: string;
    tool_call_id: string;
    output: unknown;
    error: string | null;
    /** Files of the result, such as images; left out without any. */
    attachments?: readonly AttachmentRecord[];
  } & ForAnother;
  hitl_request: {
    request_id: string;
    kind: HitlKind;
    question: string;
    context: Readonly<Record<string, unknown>>;
    options: readonly string[];
  };
  hitl_resolved: { request_id: string; answer: string };
  working_memory_update: { entry_type: WorkingMemoryEntryType; content: string };
  compaction_event: {
    before_tokens: number;
    after_tokens: number;
    strategy: "summary" | "structured_extraction";
    /** With `summary`: the turns that the model now sees as a summary; the store keeps them whole. */
    summarised_turn_ids?: readonly string[];
  };
  heartbeat: { now: string };
  usage: { input_tokens: number; output_tokens: number; cache_hit_tokens: number };
}

export type EngineEventType = keyof EngineEventData;

/** What the agent loop emits: an event without its stamp. */
export type EngineEvent = {
  [T in EngineEventType]: { readonly event: T; readonly data: EngineEventData[T] };
}[EngineEventType];

/** A stored event, as it is sent. Heartbeats are not stored and have no stamp. */
export type StoredEvent = {
  [T in Exclude<EngineEventType, "heartbeat">]: { readonly event: T; readonly data: EngineEventData[T] & EventStamp };
}[Exclude<EngineEventType, "heartbeat">];

export const ENGINE_EVENT_TYPES = [
  "thread_lifecycle",
  "error",
  "text_delta",
  "thinking_delta",
  "content_block_start",
  "content_block_stop",
  "tool_call",
  "tool_result",
  "hitl_request",
  "hitl_resolved",
  "working_memory_update",
  "compaction_event",
  "heartbeat",
  "usage",
] as const satisfies readonly EngineEventType[];
