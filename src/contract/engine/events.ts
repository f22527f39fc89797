import * as z from "zod/mini";
import { attachmentRecord } from "./attachment.ts";
import { MAX_FILE_EVENTS } from "./event-limits.ts";
import { humanRequest } from "./human-request.ts";
import { entryType } from "./memory.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, jsonObject, text, time } from "../response-schemas.ts";
import { KNOWLEDGE_FOUND, foundPassages } from "./knowledge-result.ts";
import { MODEL_CHANGE_REASONS } from "./models.ts";
import { HOOK_VERDICTS } from "./tool-hook-limits.ts";
import { tokenUsage } from "./token-usage.ts";

const blockType = z.enum(["text", "thinking", "tool_use"]).check(z.meta({ title: "BlockType" }));
export type BlockType = z.output<typeof blockType>;
const turnPhase = z.enum(["started", "completed", "errored"]).check(z.meta({ title: "TurnPhase" }));
export type TurnPhase = z.output<typeof turnPhase>;

const block = {
  block_index: field(count, "The number of the block, from 0 within the turn.", 0),
  block_type: field(blockType, "What the block contains.", "text"),
};
const call = {
  tool: field(text, "The tool's name.", "read_file"),
  tool_call_id: field(text, "The call's id.", "call_1"),
  agent: z.exactOptional(field(text, "Of a delegated agent: its name.", "researcher")),
  parent_tool_call_id: z.exactOptional(
    field(text, "Of a delegated agent: the call of `delegate` that started it.", "call_0"),
  ),
};
/** The call that an event is about, also of a delegated agent. */
const { tool: _tool, ...callOf } = call;
const messageId = field(text, "The message's id.", "m1");
const details = z.exactOptional(field(jsonObject, "Facts that depend on the code."));

/** Fields of the `data` of every event but `heartbeat`. */
const stamp = {
  ts: field(time, "When it happened. Strictly rises within the engine."),
  seq: field(count, "Its number. Rises over the life of the engine, restarts included.", 812),
  task_id: field(text, "The turn's task.", "t1"),
  turn_id: field(text, "The turn.", "turn_01jd3v9q2c"),
};
export type EventStamp = RecordOf<z.ZodMiniObject<typeof stamp>>;

interface EngineEventRow {
  readonly meaning: string;
  readonly data: z.core.$ZodShape;
}

/**
 * Each event of `POST /execute`: its meaning, and the fields of its `data` before the stamp. `event-groups.ts` names those
 * that only readers who ask get.
 */
export const ENGINE_EVENTS = {
  thread_lifecycle: {
    meaning: "The turn began or ended. The first event, and the last but for `error`.",
    data: {
      phase: field(turnPhase, "`errored`: the event `error` follows.", "started"),
      timestamp: field(time, "The same as `ts`."),
      attachments: z.exactOptional(
        field(z.array(attachmentRecord), "Only with `started`: the files of the turn's message, if it has any."),
      ),
      output: z.exactOptional(
        field(jsonObject, "Only with `completed`, and only of a turn with an output schema: its result.", {
          answer: "42",
        }),
      ),
      error: z.exactOptional(field(text, "Only with `errored`: the code of the `error` event that follows.")),
      message: z.exactOptional(field(text, "Only with `errored`: the cause, for people.")),
    },
  },
  error: {
    meaning: "Why the turn failed. The very last event.",
    data: {
      error: field(text, "The code, by which programs decide.", "LLM_PROVIDER_ERROR"),
      message: field(text, "The cause, for people. Its wording may change."),
      details,
    },
  },
  text_delta: {
    meaning: "A piece of the answer.",
    data: { text: field(text, "Text for the user.", "Hello") },
  },
  thinking_delta: {
    meaning: "A piece of the model's reasoning.",
    data: { text: field(text, "Text of the reasoning.", "The user asks") },
  },
  content_block_start: {
    meaning: "A block of the model's answer begins.",
    data: {
      ...block,
      replaces_from: z.exactOptional(
        field(
          count,
          "Only when an answer was cut off, by a restart or on its way from the provider, and is now repeated: this block replaces those from this index on.",
        ),
      ),
    },
  },
  content_block_stop: { meaning: "The block ends.", data: block },
  tool_call: {
    meaning: "The model calls a tool. It comes after the end of its `tool_use` block.",
    data: {
      ...call,
      input: field(jsonObject, "The input of the call.", { path: "a.txt" }),
      runs: z.exactOptional(
        field(
          z.literal("client"),
          "Only of a [tool that the client runs](conversations.md#tools-that-the-client-runs): the turn waits for `POST /tools/respond`.",
        ),
      ),
    },
  },
  tool_input_delta: {
    meaning: "A piece of the arguments that the model writes for a call. The `tool_call` with all of them follows.",
    data: {
      tool: call.tool,
      tool_call_id: call.tool_call_id,
      json: field(text, "Text of the arguments, as the model writes it.", '{"path": "a'),
    },
  },
  tool_result: {
    meaning: "The result of a call. Each call has exactly one.",
    data: {
      ...call,
      output: field(z.unknown(), "What the tool returned."),
      value: field(
        z.optional(z.unknown()),
        "The parsed `output`: only of a tool of the catalog, of a tool server or of the client, and only when it is the text of a JSON object or list, of at most 50,000 characters and 64 levels.",
      ),
      error: nullable(text, "Why the call failed. `null` on success.", null),
      attachments: z.exactOptional(
        field(z.array(attachmentRecord), "Files of the result, such as images. Omitted without one."),
      ),
    },
  },
  hitl_request: { meaning: "A question or a permission prompt. The turn waits for the answer.", data: humanRequest },
  hitl_resolved: {
    meaning: "The request was answered, or is open no longer.",
    data: {
      request_id: field(text, "The request's id.", "hitl-01jd3vd41x"),
      answer: field(text, "The answer. `cancelled` or `expired` for a request that the engine closed.", "PDF"),
    },
  },
  working_memory_update: {
    meaning: "The agent wrote a note.",
    data: {
      entry_type: field(entryType, "What the agent wrote it as.", "note"),
      content: field(text, "The text of the note."),
    },
  },
  compaction_event: {
    meaning: "The conversation was shortened to fit the model's context window. The store keeps the original.",
    data: {
      before_tokens: field(count, "Estimated tokens before.", 180_000),
      after_tokens: field(count, "Estimated tokens after.", 42_000),
      strategy: field(
        z.enum(["summary", "structured_extraction"]),
        "`structured_extraction`: old tool results were shortened. `summary`: old turns were summarised by a model.",
        "summary",
      ),
      summarised_turn_ids: z.exactOptional(
        field(z.array(text), "With `summary`: the turns that the model now sees as a summary."),
      ),
    },
  },
  heartbeat: {
    meaning: "The connection is alive. It comes every 15 s, and is not stored.",
    data: { now: field(time, "The engine's time.") },
  },
  message_queued: {
    meaning: "A message waits in the task's inbox, or one that waits was changed.",
    data: {
      message_id: messageId,
      position: field(count, "Its place among the messages that wait, from 1.", 1),
      when_busy: field(z.enum(["queue", "steer"]), "Whether it waits for a turn of its own or for the running one."),
    },
  },
  message_taken: {
    meaning: "A turn has taken a message with an id: once for each.",
    data: {
      message_id: messageId,
      how: field(
        z.enum(["turn", "steer"]),
        "`turn`: it began this turn. `steer`: it entered the running turn.",
        "steer",
      ),
    },
  },
  message_removed: {
    meaning: "A waiting message was removed.",
    data: { message_id: messageId },
  },
  usage: { meaning: "Comes after each model call: the totals of the turn so far.", data: tokenUsage },
  model_changed: {
    meaning:
      "A model failed, and another one answers for the rest of the turn. The answers after it are of that model.",
    data: {
      from: field(
        text,
        "The model that failed. `provider:model` when it is not of `LLM_PROVIDER`.",
        "claude-sonnet-5-5",
      ),
      to: field(text, "The model that answers instead.", "openai:gpt-6.1-sol"),
      reason: field(
        z.enum(MODEL_CHANGE_REASONS),
        "How it failed. `cooldown`: it failed a short time before, for another step, turn or engine.",
        "overloaded",
      ),
      agent: call.agent,
      parent_tool_call_id: call.parent_tool_call_id,
    },
  },
  tool_verdict: {
    meaning: "The product's [hook](catalog.md#hook-of-the-product) decided about a call, before it runs.",
    data: {
      ...call,
      verdict: field(z.enum(HOOK_VERDICTS), "`change`: the call runs with `input`.", "deny"),
      reason: z.exactOptional(field(text, "Only of `deny`, when the product gave one.")),
      input: z.exactOptional(field(jsonObject, "Only of `change`: the input that the call runs with.")),
      error: z.exactOptional(field(text, "Why the product did not decide; the verdict is then the policy's.")),
    },
  },
  knowledge_found: { meaning: KNOWLEDGE_FOUND, data: { ...foundPassages, ...callOf } },
  file_changed: {
    meaning: `A call has changed a file of the workspace. It comes before the \`tool_result\` of the call, for at most ${MAX_FILE_EVENTS} paths.`,
    data: {
      path: field(text, "The path in the workspace.", "reports/june.csv"),
      change: field(z.enum(["created", "changed", "removed"]), "What happened to it.", "changed"),
      ...callOf,
    },
  },
} satisfies Record<string, EngineEventRow>;
export type EngineEventType = keyof typeof ENGINE_EVENTS;

/** One frame of `POST /execute` as an object: its `event:` line, and its `data:` line read as JSON. */
const frame = <Type extends EngineEventType>(type: Type) =>
  z
    .object({
      event: field(z.literal(type), "The `event:` line of the frame."),
      data: field(
        z.object({ ...ENGINE_EVENTS[type].data, ...(type === "heartbeat" ? {} : stamp) }),
        "The `data:` line of the frame.",
      ),
    })
    .check(z.meta({ description: ENGINE_EVENTS[type].meaning }));
const [first, ...others] = Object.keys(ENGINE_EVENTS) as [EngineEventType, ...EngineEventType[]];
export const engineEvent = z
  .discriminatedUnion("event", [frame(first), ...others.map(frame)])
  .check(z.meta({ title: "EngineEvent", description: "An event of a turn." }));

/** Event type to the fields of its data, before the stamp. */
export type EngineEventData = {
  readonly [Type in EngineEventType]: RecordOf<z.ZodMiniObject<(typeof ENGINE_EVENTS)[Type]["data"]>>;
};
/** Only for a sub-agent: its name, and the call of `delegate` that started it. */
export type ForAnother = Pick<EngineEventData["tool_call"], "agent" | "parent_tool_call_id">;

/** What the agent loop emits: an event without its stamp. */
export type EmittedEvent = {
  [Type in EngineEventType]: { readonly event: Type; readonly data: EngineEventData[Type] };
}[EngineEventType];

type StoredType = Exclude<EngineEventType, "heartbeat">;
/** A stored event, as it is sent. Heartbeats are not stored and have no stamp. */
export type StoredEvent = {
  [Type in StoredType]: { readonly event: Type; readonly data: EngineEventData[Type] & EventStamp };
}[StoredType];
export type EngineEvent = StoredEvent | Extract<EmittedEvent, { event: "heartbeat" }>;

const replayPage = record("ReplayPage", "Stored events after a cursor.", {
  events: field(
    z.array(engineEvent),
    "The events, the oldest first. Adjacent deltas may be merged into one, and a page may hold fewer than `limit`.",
  ),
  next_after: nullable(
    text,
    "The `after` of the next call: the `ts` of the last event, or the given `after`. `null` when there is neither.",
    "2026-03-31T09:00:00.000Z",
  ),
  truncated: field(z.boolean(), "Whether events after the cursor are no longer kept.", false),
  oldest_ts: nullable(time, "The `ts` of the oldest stored event. `null` without one."),
});
export type ReplayPage = RecordOf<typeof replayPage>;

/** The bodies of the engine's `/execute` routes. */
export const TURN_EVENT_RESPONSES = {
  EngineEvent: engineEvent,
  ReplayPage: replayPage,
  Cancelled: z
    .object({
      cancelled: field(z.boolean(), "`false` when the task has no turn.", true),
      removed: z.exactOptional(field(count, "Only with `inbox`: how many waiting messages were removed.", 2)),
    })
    .check(z.meta({ description: "Whether a turn was cancelled." })),
} as const satisfies Record<string, z.ZodMiniType>;
