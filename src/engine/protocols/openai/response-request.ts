import * as z from "zod/mini";
import type { MessagePart } from "../../../contract/engine/message-content.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { addLine } from "./completion-request.ts";
import { fileOf } from "./files.ts";
import { turnOfItem } from "./ids.ts";
import { requestOfApproval } from "./response-items.ts";
import type { CallOutput, Line, SentConversation } from "./sent-conversation.ts";

const text = z.string();
const MAX_ITEMS = 2000;
const id = z.string().check(z.minLength(1), z.maxLength(400));

const item = z.looseObject({ type: z.optional(text), role: z.optional(text), id: z.optional(z.nullable(text)) });
type InputItem = z.output<typeof item>;

const metadata = z
  .record(z.string().check(z.maxLength(64)), z.string().check(z.maxLength(512)))
  .check(z.refine((map) => Object.keys(map).length <= 16, { error: "expected at most 16 keys" }));

export const responseRequest = z.object({
  model: z.string().check(z.minLength(1), z.maxLength(256)),
  input: z.union([text, z.array(item).check(z.minLength(1), z.maxLength(MAX_ITEMS))]),
  instructions: z.optional(z.nullable(text)),
  previous_response_id: z.optional(z.nullable(id)),
  conversation: z.optional(z.nullable(z.union([id, z.looseObject({ id })]))),
  stream: z.optional(z.nullable(z.boolean())),
  background: z.optional(z.nullable(z.boolean())),
  store: z.optional(z.nullable(z.boolean())),
  tools: z.optional(
    z.nullable(
      z.array(
        z.looseObject({
          type: text,
          name: z.optional(text),
          description: z.optional(z.nullable(text)),
          parameters: z.optional(z.nullable(z.record(text, z.unknown()))),
        }),
      ),
    ),
  ),
  tool_choice: z.optional(z.unknown()),
  text: z.optional(
    z.nullable(
      z.looseObject({
        format: z.optional(z.nullable(z.looseObject({ type: z.enum(["text", "json_object", "json_schema"]) }))),
      }),
    ),
  ),
  reasoning: z.optional(
    z.nullable(z.looseObject({ effort: z.optional(z.nullable(text)), summary: z.optional(z.nullable(text)) })),
  ),
  metadata: z.optional(z.nullable(metadata)),
  prompt: z.optional(z.unknown()),
  // The agent's settings hold instead of these.
  include: z.optional(z.unknown()),
  max_output_tokens: z.optional(z.unknown()),
  max_tool_calls: z.optional(z.unknown()),
  parallel_tool_calls: z.optional(z.unknown()),
  prompt_cache_key: z.optional(z.unknown()),
  safety_identifier: z.optional(z.unknown()),
  service_tier: z.optional(z.unknown()),
  stream_options: z.optional(z.unknown()),
  temperature: z.optional(z.unknown()),
  top_p: z.optional(z.unknown()),
  truncation: z.optional(z.unknown()),
  user: z.optional(z.unknown()),
});
export type ResponseRequest = z.output<typeof responseRequest>;

/** Throws for a field that an engine has no counterpart of. */
export function assertSupported(calls: EngineCalls, body: ResponseRequest): void {
  const refuse = (message: string) => {
    throw calls.error("INVALID_REQUEST", message);
  };
  if (body.prompt !== undefined && body.prompt !== null) refuse("prompt: not supported");
  if (body.previous_response_id && body.conversation)
    refuse("conversation: expected none together with previous_response_id");
  body.tools?.forEach(({ type, name }, index) => {
    if (type !== "function") refuse(`tools.${index}.type: not supported, expected function`);
    if (name === undefined) refuse(`tools.${index}.name: required, expected a string`);
  });
}

export interface SentInput extends SentConversation {
  /** The turn of the last item of an answer that the client sends back. Null: they have no ids of ours. */
  readonly lastTurn: string | null;
}

/** What of the input is new: the items after the last one that an answer had. */
export function sentInput(calls: EngineCalls, { input }: Pick<ResponseRequest, "input">): SentInput {
  const items: readonly InputItem[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const lastAnswer = items.findLastIndex(isOfAnswer);
  const history: Line[] = [];
  const instructions: string[] = [];
  const parts: MessagePart[] = [];
  const outputs: CallOutput[] = [];
  const approvals: { readonly requestId: string; readonly isApproved: boolean }[] = [];
  let lastTurn: string | null = null;
  items.forEach((item, index) => {
    const field = typeof input === "string" ? "input" : `input.${index}`;
    const isNew = index > lastAnswer;
    if (isOfAnswer(item)) {
      lastTurn = turnOfItem(item.id ?? "") ?? lastTurn;
      addLine(history, { role: "assistant", text: item.role === "assistant" ? textOf(item["content"]) : "" });
      return;
    }
    switch (item.type ?? "message") {
      case "message":
        if (item.role === "system" || item.role === "developer") instructions.push(textOf(item["content"]));
        else if (item.role !== "user")
          throw calls.error("INVALID_REQUEST", `${field}.role: expected user, assistant, system or developer`);
        else if (isNew) parts.push(...partsOf(calls, item["content"], field));
        else addLine(history, { role: "user", text: textOf(item["content"]) });
        break;
      case "function_call_output":
        if (isNew) outputs.push(outputOf(calls, item, field));
        break;
      case "mcp_approval_response":
        if (isNew) approvals.push(approvalOf(calls, item, field));
        break;
      default:
        throw calls.error(
          "INVALID_REQUEST",
          `${field}.type: not supported, received ${String(item.type).slice(0, 64)}`,
        );
    }
  });
  if (parts.length + outputs.length + approvals.length === 0)
    throw calls.error("INVALID_REQUEST", "input: expected a message of the user, or results of calls, at the end");
  return { history, parts, outputs, approvals, instructions, lastTurn };
}

const ANSWER_TYPES = new Set([
  "function_call",
  "item_reference",
  "mcp_approval_request",
  "mcp_call",
  "mcp_list_tools",
  "reasoning",
]);
const isOfAnswer = ({ type, role }: InputItem): boolean => role === "assistant" || ANSWER_TYPES.has(type ?? "");

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { readonly text?: unknown } | null) => (typeof part?.text === "string" ? part.text : ""))
    .join("\n");
}

function outputOf(calls: EngineCalls, item: InputItem, field: string): CallOutput {
  const { call_id: callId, output } = item as { readonly call_id?: unknown; readonly output?: unknown };
  if (typeof callId !== "string" || callId === "" || callId.length > 255)
    throw calls.error("INVALID_REQUEST", `${field}.call_id: expected the id of a function call`);
  if (typeof output !== "string" && !Array.isArray(output))
    throw calls.error("INVALID_REQUEST", `${field}.output: expected a string or a list of parts`);
  return { callId, output: textOf(output) };
}

function approvalOf(calls: EngineCalls, item: InputItem, field: string) {
  const { approval_request_id: approval, approve } = item as {
    readonly approval_request_id?: unknown;
    readonly approve?: unknown;
  };
  if (typeof approval !== "string" || approval.length > 255)
    throw calls.error("INVALID_REQUEST", `${field}.approval_request_id: expected the id of an approval request`);
  if (typeof approve !== "boolean") throw calls.error("INVALID_REQUEST", `${field}.approve: expected a boolean`);
  return { requestId: requestOfApproval(approval), isApproved: approve };
}

function partsOf(calls: EngineCalls, content: unknown, field: string): readonly MessagePart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content))
    throw calls.error("INVALID_REQUEST", `${field}.content: expected a string or a list of parts`);
  return content.map((part: unknown, index) => partOf(calls, part, `${field}.content.${index}`));
}

function partOf(calls: EngineCalls, part: unknown, field: string): MessagePart {
  const { type, text, image_url, file_data, file_url, filename } = (part ?? {}) as Readonly<Record<string, unknown>>;
  switch (type) {
    case "input_text":
      return { type: "text", text: String(text ?? "") };
    case "input_image":
      return fileOf(calls, { data: image_url, type: "image" }, `${field}.image_url`);
    case "input_file":
      return fileOf(calls, { data: file_data ?? file_url, name: filename, type: "file" }, `${field}.file_data`);
    default:
      throw calls.error("INVALID_REQUEST", `${field}.type: expected input_text, input_image or input_file`);
  }
}
