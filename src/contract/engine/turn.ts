import * as z from "zod/mini";
import { type RecordOf, extended, field, nullable, record } from "../record.ts";
import { count, jsonObject, text, time } from "../response-schemas.ts";
import { tokenUsage } from "./token-usage.ts";

export const turnState = z.enum(["running", "waiting_for_human", "completed", "errored"]);

export const turnRecord = record("TurnRecord", "A turn: one message of the user and the work on it.", {
  turn_id: field(text, "The turn's id.", "turn_01jd3v9q2c"),
  task_id: field(text, "The task, which is the conversation.", "t1"),
  state: field(
    turnState,
    "`waiting_for_human`: a question, a permission prompt or a call of a client's tool is open.",
    "completed",
  ),
  error: nullable(text, "The error code of a turn that `errored`.", null),
  agent: field(text, "The agent of the catalog that ran it.", "default"),
  message: field(text, "The text of the user's message, cut after 500 characters.", "What can you do?"),
  started_at: field(time, "When it began."),
  ended_at: nullable(time, "When it ended. `null` before that."),
});
export type TurnRecord = RecordOf<typeof turnRecord>;

const { error } = turnRecord.def.shape;
export const startedTurn = record("StartedTurn", "A turn that the daemon started, as the engine's store has it.", {
  turn_id: nullable(text, "The turn's id. `null` before a turn has taken the message.", "turn_01jd3v9q2c"),
  state: field(
    z.enum(["queued", ...turnState.options]),
    "`queued`: its message waits in the inbox of the task.",
    "completed",
  ),
  error,
  request_id: field(
    z.optional(z.nullable(z.string())),
    "The oldest open request of a turn that waits for a person, or the oldest open call of a client's tool. Engines of earlier releases omit it.",
    null,
  ),
});
export type StartedTurn = RecordOf<typeof startedTurn>;

export const shownTurn = extended(turnRecord, "ShownTurn", "A turn, with its result.", {
  output: z.exactOptional(
    field(jsonObject, "Only of a completed turn with an output schema: its result.", { answer: "42" }),
  ),
});
export type ShownTurn = RecordOf<typeof shownTurn>;

const turnPage = record("TurnPage", "Turns, the newest first.", {
  items: field(z.array(turnRecord), "The turns of this page."),
  next_cursor: nullable(text, "The `cursor` of the next page. `null` on the last one.", null),
});
export type TurnPage = RecordOf<typeof turnPage>;

const contextParts = record("ContextParts", "Tokens of a request by what they are spent on.", {
  system: field(count, "The system prompt.", 1200),
  tools: field(count, "The definitions of the tools.", 3400),
  recalled: field(count, "Memories shown with this and earlier messages.", 250),
  context: field(count, "Context that callers gave with this and earlier messages.", 0),
  history: field(count, "Messages and answers of earlier turns, or the summary that replaced them.", 5100),
  message: field(count, "The turn's message.", 12),
  steps: field(count, "The turn's own answers and tool results so far.", 800),
  attachments: field(count, "Images and other files.", 0),
});
export type ContextParts = RecordOf<typeof contextParts>;

const modelRequestSummary = record("ModelRequestSummary", "A model call of a turn, and what its request contained.", {
  number: field(
    count,
    "From 1 within the turn, in the order in which the calls ended. A call is listed when it has ended.",
    1,
  ),
  agent: field(text, "The agent that made the call.", "default"),
  purpose: field(z.enum(["turn", "summary"]), "`summary`: the call of a compaction.", "turn"),
  provider: field(text, "The provider, as `LLM_PROVIDER` names it.", "anthropic"),
  model: field(text, "The model's name, as it was sent.", "claude-sonnet-5-5"),
  started_at: field(time, "When the call began."),
  duration_ms: field(count, "Milliseconds until it ended, retries included.", 2310),
  first_token_ms: nullable(
    count,
    "Milliseconds until the first part of the answer, retries included. `null` without an answer.",
    420,
  ),
  tries: field(count, "How often the request was sent. 0: the call failed before.", 1),
  outcome: field(z.enum(["completed", "failed", "aborted"]), "How the call ended.", "completed"),
  reason: field(text, "The model's finish reason, or the kind of failure.", "stop"),
  usage: nullable(
    z.object({
      ...tokenUsage,
      cache_write_tokens: field(count, "Tokens of the input that the provider wrote to its cache.", 0),
    }),
    "Tokens as the provider reported them. `null` without a report.",
  ),
  cache_share: nullable(
    z.number().check(z.gte(0), z.lte(1)),
    "The share of the input that was read from the provider's cache, 0 to 1. `null` without a report.",
    0.91,
  ),
  context: field(
    z.object({
      parts: field(
        contextParts,
        "Tokens by part. They add up to the reported input, or are estimates without a report.",
      ),
      is_estimate: field(z.boolean(), "Whether the provider has not counted the input.", false),
      answer_reserve: field(count, "Tokens that the context window keeps free for the answer.", 8192),
      window: field(count, "The model's context window in tokens.", 200_000),
    }),
    "How the request fills the context window.",
  ),
});
export type ModelRequestSummary = RecordOf<typeof modelRequestSummary>;

const modelRequests = record("ModelRequests", "The model calls of a turn. They are kept for 24 hours.", {
  turn_id: field(text, "The turn's id.", "turn_01jd3v9q2c"),
  kept: field(z.boolean(), "`false` when the setting `ENGINE_KEEP_REQUESTS` is off.", true),
  requests: field(z.array(modelRequestSummary), "The calls in the order in which they ended."),
});
export type ModelRequests = RecordOf<typeof modelRequests>;

const modelRequest = extended(
  modelRequestSummary,
  "ModelRequestRecord",
  "A request to a model as it was sent, without secrets and the bytes of files.",
  {
    turn_id: field(text, "The turn's id.", "turn_01jd3v9q2c"),
    method: nullable(
      text,
      "The HTTP method. `null` for the sandbox model, which sends nothing, and for a call that failed before it was sent.",
      "POST",
    ),
    path: nullable(text, "Path and query of the address, without secrets. `null` when `method` is.", "/v1/messages"),
    headers: field(z.record(text, text), "The headers. Values that may be secret are redacted.", {
      "content-type": "application/json",
    }),
    body: field(
      z.unknown(),
      "The body as JSON, or its first characters as text when `truncated`. For the sandbox model, what it was asked. `null` for a call that was not sent.",
    ),
    body_bytes: field(count, "The length of the sent body.", 48_211),
    truncated: field(z.boolean(), "Whether the body was longer than 1 MiB, and was cut.", false),
  },
);
export type ModelRequestRecord = RecordOf<typeof modelRequest>;

/** The bodies of the engine's `/turns` routes. */
export const TURN_RESPONSES = {
  TurnPage: turnPage,
  Turn: shownTurn,
  ModelRequests: modelRequests,
  ModelRequest: modelRequest,
} as const satisfies Record<string, z.ZodMiniType>;
