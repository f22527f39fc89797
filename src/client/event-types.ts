// Written by "npm run generate" from src/contract/engine/events.ts.

export const ENGINE_EVENT_TYPES: readonly string[] = [
  "thread_lifecycle",
  "error",
  "text_delta",
  "thinking_delta",
  "content_block_start",
  "content_block_stop",
  "tool_call",
  "tool_input_delta",
  "tool_result",
  "hitl_request",
  "hitl_resolved",
  "working_memory_update",
  "compaction_event",
  "heartbeat",
  "message_queued",
  "message_taken",
  "message_removed",
  "usage",
  "model_changed",
  "file_changed",
];
