import * as z from "zod/mini";
import { attachmentRecords } from "./attachments.ts";
import type { EngineEventData, EngineEventType, StoredEvent } from "./engine-events.ts";
import { count, jsonObject, text, time } from "./response-schemas.ts";

const stamp = { ts: time, seq: count, task_id: text, turn_id: text };
const block = { block_index: count, block_type: z.enum(["text", "thinking", "tool_use"]) };
const call = {
  tool: text,
  tool_call_id: text,
  agent: z.exactOptional(text),
  parent_tool_call_id: z.exactOptional(text),
};
const event = <Name extends EngineEventType, Data extends z.core.$ZodShape>(name: Name, data: Data) =>
  z.object({ event: z.literal(name), data: z.object(data) });

/** One frame of `POST /execute` as an object: its `event:` line, and its `data:` line read as JSON. */
export const engineEvent = z.discriminatedUnion("event", [
  event("thread_lifecycle", {
    phase: z.enum(["started", "completed", "errored"]),
    timestamp: time,
    attachments: z.exactOptional(attachmentRecords),
    error: z.exactOptional(text),
    message: z.exactOptional(text),
    ...stamp,
  }),
  event("error", { error: text, message: text, details: z.exactOptional(jsonObject), ...stamp }),
  event("text_delta", { text, ...stamp }),
  event("thinking_delta", { text, ...stamp }),
  event("content_block_start", { ...block, replaces_from: z.exactOptional(count), ...stamp }),
  event("content_block_stop", { ...block, ...stamp }),
  event("tool_call", { ...call, input: jsonObject, ...stamp }),
  event("tool_result", {
    ...call,
    output: z.unknown(),
    error: z.nullable(text),
    attachments: z.exactOptional(attachmentRecords),
    ...stamp,
  }),
  event("hitl_request", {
    request_id: text,
    kind: z.enum(["question", "permission"]),
    question: text,
    context: jsonObject,
    options: z.array(text),
    ...stamp,
  }),
  event("hitl_resolved", { request_id: text, answer: text, ...stamp }),
  event("working_memory_update", {
    entry_type: z.enum(["note", "observation", "summary"]),
    content: text,
    ...stamp,
  }),
  event("compaction_event", {
    before_tokens: count,
    after_tokens: count,
    strategy: z.enum(["summary", "structured_extraction"]),
    summarised_turn_ids: z.exactOptional(z.array(text)),
    ...stamp,
  }),
  event("heartbeat", { now: time }),
  event("usage", { input_tokens: count, output_tokens: count, cache_hit_tokens: count, ...stamp }),
]) satisfies z.ZodMiniType<StoredEvent | { readonly event: "heartbeat"; readonly data: EngineEventData["heartbeat"] }>;
