import * as z from "zod/mini";
import { byteLength, characters, integer, keptJson, opaqueId, wellFormedText } from "../../shared/parse.ts";
import { DEFAULT_ATTACHMENT_LIMITS } from "./attachment-limits.ts";
import { clientTools } from "./client-tool.ts";
import { messageId } from "./inbox-limits.ts";
import { WHEN_BUSY } from "./when-busy.ts";
import { effort, modelName } from "./model-schemas.ts";
import { messageContent } from "./message-content.ts";
import { outputSchema } from "./output-schema.ts";
import { turnContext } from "./turn-context.ts";
import { field, record } from "../record.ts";

/** The body limit for the longest text, even fully escaped, with attachments of `mb` MiB in base64. */
export const executeBodyBytes = (mb: number): number => 2 * 1024 * 1024 + Math.ceil((mb * 4) / 3) * 1024 * 1024;

/** Bytes of request bodies. That of `execute` depends on the policy; this is the default policy's. */
export const ENGINE_BODY_BYTES = {
  execute: executeBodyBytes(DEFAULT_ATTACHMENT_LIMITS.mb),
  respond: 1024 * 1024,
  other: 64 * 1024,
} as const;
/** Limits of every JSON body. Fields, list items, objects and lists count as values. */
export const ENGINE_BODY_LIMITS = { maxValues: 10_000, maxDepth: 64 } as const;
/** Clients of other protocols send all messages of a conversation with each call. */
export const PROTOCOL_BODY_LIMITS = { maxValues: 100_000, maxDepth: 64 } as const;

/** The catalog's agent for calls that name none. */
export const DEFAULT_AGENT = "default";

export const taskId = opaqueId(1, 256);

export const executeRequest = record("ExecuteRequest", "A turn to run.", {
  message: field(
    z.optional(messageContent),
    "The user's message: 1 byte to 1 MiB of text, not only white space, or a list of 1 to 256 parts with attachments. Only `regenerate` goes without one.",
    "What can you do?",
  ),
  task_id: field(
    taskId,
    "1 to 256 bytes. A task is a conversation: the next turn with the same id continues it.",
    "t1",
  ),
  agent: field(z.optional(characters(1, 64)), "An agent of the catalog. `default` when omitted.", DEFAULT_AGENT),
  model: field(
    z.optional(modelName),
    "The [model](conversations.md#which-model-answers) of the turn: `model`, or `provider:model` for another provider. The agent's when omitted.",
    "openai:gpt-6.1-sol",
  ),
  effort: field(
    z.optional(effort),
    "How much the model reasons, if it has this option. The agent's when omitted.",
    "low",
  ),
  thinking: field(z.optional(z.boolean()), "`true` requests the model's reasoning. `false` when omitted."),
  max_steps: field(z.optional(integer(1, 1000)), "Model calls of the turn. 100 when omitted.", 100),
  regenerate: field(
    z.optional(z.boolean()),
    "`true` answers the task's last message again, which must be the user's, and takes no `message`. `false` when omitted.",
  ),
  on_disconnect: field(
    z.optional(z.enum(["continue", "cancel"])),
    "What happens to the turn when the client disconnects. `continue` when omitted.",
  ),
  metadata: field(z.optional(keptJson()), "An object that is stored with the turn.", { locale: "en" }),
  client_tools: field(
    z.optional(clientTools),
    "[Tools that the client runs](conversations.md#tools-that-the-client-runs) in this turn, up to 64 in 256 KiB.",
  ),
  when_busy: field(
    z.optional(z.enum(WHEN_BUSY)),
    "What happens while the task has a turn: `reject` answers 409 `TASK_BUSY`, `queue` lets the message wait for a turn of its own, `steer` hands it to the running turn. The policy's `when_busy` when omitted.",
    "queue",
  ),
  interrupt: field(
    z.optional(z.boolean()),
    "Only with `steer`: `true` cuts off the model's answer in progress. `false` when omitted.",
  ),
  message_id: field(
    z.optional(messageId),
    "1 to 255 characters of the caller's, unique in the task. The same id and body again is the same message.",
    "m1",
  ),
  output_schema: field(
    z.optional(outputSchema()),
    "[Structured output](conversations.md#structured-output): JSON Schema 2020-12 for an object, at most 32 KiB. The agent's own when omitted.",
    { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] },
  ),
  context: field(
    z.optional(turnContext),
    "[Context of a turn](conversations.md#context-of-a-turn): data for the model that are not the user's words, at most 32 items and 16 KiB.",
  ),
});
export type ExecuteRequest = z.output<typeof executeRequest>;

/** The request without `regenerate: true`. */
export const executeMessageRequest = z.safeExtend(executeRequest, { message: messageContent });

export const cancelRequest = z.object({
  task_id: field(taskId, "The task whose turn is to end.", "t1"),
  inbox: field(
    z.optional(z.boolean()),
    "`true` also removes the messages that wait in the task's inbox. `false` when omitted.",
  ),
});

/** The parameters of `/tasks/{task_id}/inbox`. */
export const inboxPath = z.object({ task_id: taskId, message_id: z.optional(messageId) });

export const editMessageRequest = z
  .object({
    message: field(z.optional(messageContent), "Replaces the message, as `message` of `POST /execute`."),
    when_busy: field(
      z.optional(z.enum(["queue", "steer"])),
      "`steer` hands a queued message to the running turn, `queue` keeps it for a turn of its own.",
    ),
  })
  .check(
    z.refine(({ message, when_busy }) => message !== undefined || when_busy !== undefined, {
      error: "expected message or when_busy",
    }),
  );

const REQUEST_ID = "expected an id with the prefix hitl-";
export const hitlRespondRequest = z.object({
  request_id: field(
    z.string(REQUEST_ID).check(z.regex(/^hitl-/, REQUEST_ID)),
    "The id of the question or permission prompt.",
    "hitl-01jd3vd41x",
  ),
  answer: field(
    wellFormedText("expected a string of 1 to 100,000 characters").check(z.minLength(1), z.maxLength(100_000)),
    "One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`.",
    "PDF",
  ),
});

export const allowToolsRequest = z.object({
  server: field(characters(1, 256), "The name of the tool server.", "pages"),
  tool: field(
    z.optional(characters(1, 1000)),
    "The server's name of the tool, together with `definition`. All held tools of the server when omitted.",
    "read",
  ),
  definition: field(
    z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/, "expected the definition as it is listed"))),
    "The hash of the definition to allow, as `GET /assets/servers` lists it. A tool that has changed again is refused.",
  ),
});

export const instant = () =>
  z.string().check(
    z.refine((text) => /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text)), {
      error: "expected a date such as 2026-03-31, or a time in ISO 8601 with its offset",
    }),
  );

export const knowledgeSearchRequest = z.object({
  query: field(
    z.string().check(
      z.refine((text) => byteLength(text) >= 1 && byteLength(text) <= 10 * 1024, {
        error: "expected 1 byte to 10 kB of UTF-8",
      }),
    ),
    "1 byte to 10 kB of text. No character is query syntax.",
    "Where do I live?",
  ),
  limit: field(z.optional(integer(1, 100)), "How many results at most. 10 when omitted.", 10),
  kinds: field(
    z.optional(z.array(z.enum(["episode", "fact", "note"])).check(z.minLength(1), z.maxLength(3))),
    "Only results of these kinds. All when omitted.",
    ["fact"],
  ),
  bearing: field(z.optional(z.enum(["answers", "touches"])), "Only results with this relevance verdict."),
  as_of: field(z.optional(instant()), "Searches the memory as of this time.", "2026-03-31"),
  from: field(z.optional(instant()), "Only what happened at this time or later."),
  to: field(
    z.optional(instant()),
    "Only what happened before this time. A date includes its day.",
    "2026-03-31T18:00:00+02:00",
  ),
});

/** A person's statement that a fact is no longer true. */
export const endFactRequest = z.object({
  id: field(
    z.string("expected the id of a fact").check(z.regex(/^kn_/, "expected an id with the prefix kn_")),
    "The id of the fact.",
    "kn_01jd3vb7fw",
  ),
});

/** A person's decision about a drafted skill. */
export const decideSkillRequest = z.object({
  id: field(
    z.string("expected the id of a drafted skill").check(z.regex(/^sd_/, "expected an id with the prefix sd_")),
    "The id of the draft.",
    "sd_01jd3vc9tq",
  ),
  decision: field(
    z.enum(["allow", "refuse"], { error: "expected allow or refuse" }),
    "`allow` adds the skill to the engine's catalog. `refuse` rejects it for good.",
  ),
});
