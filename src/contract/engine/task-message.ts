import * as z from "zod/mini";
import { type RecordOf, extended, field, nullable, record } from "../record.ts";
import { jsonObject, text, time } from "../response-schemas.ts";
import { attachmentRecord, attachmentRecords } from "./attachment.ts";
import { artifact } from "./file.ts";
import { humanRequest } from "./human-request.ts";
import { tokenUsage } from "./token-usage.ts";
import { shownTurn, turnState } from "./turn.ts";

const textPart = record("TaskTextPart", "Text of the user or of the agent.", {
  type: field(z.literal("text"), "The kind of part."),
  text: field(text, "The text.", "Hello"),
});
const reasoningPart = record("TaskReasoningPart", "Reasoning of the model.", {
  type: field(z.literal("reasoning"), "The kind of part."),
  text: field(text, "The text of the reasoning.", "The user asks"),
});
const toolPart = record("TaskToolPart", "A call of a tool, with its result once it has one.", {
  type: field(z.literal("tool"), "The kind of part."),
  tool_call_id: field(text, "The call's id.", "call_1"),
  tool: field(text, "The tool's name.", "read_file"),
  input: field(jsonObject, "The input of the call.", { path: "a.txt" }),
  status: field(z.enum(["running", "completed", "failed"]), "`running`: it has no result yet.", "completed"),
  output: field(z.unknown(), "What the tool returned. `null` before, and for a call that failed."),
  error: nullable(text, "Why the call failed. `null` otherwise.", null),
  attachments: z.exactOptional(field(attachmentRecords, "Files of the result. Omitted without one.")),
  hook: z.exactOptional(
    field(
      z.object({
        verdict: field(z.enum(["deny", "ask", "change"]), "`change`: the call ran with its `input`.", "change"),
        reason: nullable(text, "Why the product denied it. `null` without one.", null),
        input: nullable(jsonObject, "Of `change`: the input that the call ran with. `null` otherwise."),
        error: nullable(text, "Why the product did not decide; the verdict is then the policy's.", null),
      }),
      "What the product's [hook](catalog.md#hook-of-the-product) decided. Omitted when it was not asked, or allowed the call.",
    ),
  ),
});
const artifactPart = extended(artifact, "TaskArtifactPart", "A file that the agent [published](files.md#artifacts).", {
  type: field(z.literal("artifact"), "The kind of part. It comes after the call of `publish_file`."),
});
const attachmentPart = extended(attachmentRecord, "TaskAttachmentPart", "A file that the user attached.", {
  type: field(z.literal("attachment"), "The kind of part."),
});
const contextPart = record(
  "TaskContextPart",
  "Context that went with the message, for audits. The user did not write it.",
  {
    type: field(z.literal("context"), "The kind of part."),
    name: field(text, "What it is.", "page"),
    content: field(text, "Its text.", "/orders/17"),
    ttl: field(z.enum(["turn", "task"]), "How long it was valid.", "turn"),
  },
);
const { request_id, kind, question, options } = humanRequest;
const questionPart = record("TaskQuestionPart", "A question or a permission prompt to a person.", {
  type: field(z.literal("question"), "The kind of part."),
  request_id,
  kind,
  question,
  options,
  status: field(
    z.enum(["open", "answered", "closed"]),
    "`closed`: it was cancelled or has expired, and nobody answered.",
    "answered",
  ),
  answer: nullable(text, "The answer. `null` without one.", "PDF"),
});
const errorPart = record("TaskErrorPart", "Why a turn failed.", {
  type: field(z.literal("error"), "The kind of part."),
  error: field(text, "The error code, by which programs decide.", "LLM_PROVIDER_ERROR"),
});

const taskMessagePart = z
  .discriminatedUnion("type", [
    textPart,
    reasoningPart,
    toolPart,
    artifactPart,
    attachmentPart,
    contextPart,
    questionPart,
    errorPart,
  ])
  .check(z.meta({ title: "TaskMessagePart", description: "A part of a message, by its `type`." }));
export type TaskMessagePart = RecordOf<typeof taskMessagePart>;

export const taskMessage = record(
  "TaskMessage",
  "What the user or the agent said. All answers of a turn up to the next message of the user are one message, with the results of their calls.",
  {
    message_id: field(text, "The message's id, which stays the same: `msg_` and a number that rises.", "msg_12"),
    role: field(z.enum(["user", "assistant"]), "Who said it.", "assistant"),
    turn_id: field(text, "The turn it belongs to.", "turn_01jd3v9q2c"),
    created_at: field(time, "When it was stored; of an answer, its first part."),
    parts: field(z.array(taskMessagePart), "What it consists of, in order."),
    usage: nullable(
      z.object(tokenUsage),
      "Tokens of the turn, with its last message. `null` for others, and before the turn has ended.",
    ),
    output: shownTurn.def.shape.output,
    status: field(
      turnState,
      "The state of the turn, with its last message. `completed` for those before it.",
      "completed",
    ),
  },
);
export type TaskMessage = RecordOf<typeof taskMessage>;
