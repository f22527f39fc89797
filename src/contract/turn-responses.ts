import * as z from "zod/mini";
import { count, text, textOrNull, time, timeOrNull } from "./response-schemas.ts";
import type { ModelRequestRecord, ModelRequestSummary, ModelRequests, TurnPage, TurnRecord } from "./turn-records.ts";

const turn = z.object({
  turn_id: text,
  task_id: text,
  state: z.enum(["running", "waiting_for_human", "completed", "errored"]),
  error: textOrNull,
  agent: text,
  message: text,
  started_at: time,
  ended_at: timeOrNull,
}) satisfies z.ZodMiniType<TurnRecord>;

const call = {
  number: count,
  agent: text,
  purpose: z.enum(["turn", "summary"]),
  provider: text,
  model: text,
  started_at: time,
  duration_ms: count,
  first_token_ms: z.nullable(count),
  tries: count,
  outcome: z.enum(["completed", "failed", "aborted"]),
  reason: text,
  usage: z.nullable(
    z.object({ input_tokens: count, output_tokens: count, cache_hit_tokens: count, cache_write_tokens: count }),
  ),
  cache_share: z.nullable(z.number().check(z.gte(0), z.lte(1))),
  context: z.object({
    parts: z.object({
      system: count,
      tools: count,
      recalled: count,
      history: count,
      message: count,
      steps: count,
      attachments: count,
    }),
    is_estimate: z.boolean(),
    answer_reserve: count,
    window: count,
  }),
};
const summary = z.object(call) satisfies z.ZodMiniType<ModelRequestSummary>;

/** The bodies of the engine's `/turns` routes. */
export const TURN_RESPONSES = {
  TurnPage: z.object({ items: z.array(turn), next_cursor: textOrNull }) satisfies z.ZodMiniType<TurnPage>,
  Turn: turn,
  ModelRequests: z.object({
    turn_id: text,
    kept: z.boolean(),
    requests: z.array(summary),
  }) satisfies z.ZodMiniType<ModelRequests>,
  ModelRequest: z.object({
    ...call,
    turn_id: text,
    method: textOrNull,
    path: textOrNull,
    headers: z.record(text, text),
    body: z.unknown(),
    body_bytes: count,
    truncated: z.boolean(),
  }) satisfies z.ZodMiniType<ModelRequestRecord>,
} as const satisfies Record<string, z.ZodMiniType>;
