import * as z from "zod/mini";
import type { ClientTool } from "../../../contract/engine/client-tool.ts";
import type { MessagePart } from "../../../contract/engine/message-content.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { fileOf } from "./files.ts";
import type { CallOutput, Line, SentConversation } from "./sent-conversation.ts";

const text = z.string();
const MAX_MESSAGES = 2000;

const contentPart = z.looseObject({ type: text });
const content = z.optional(z.nullable(z.union([text, z.array(contentPart)])));
const message = z.looseObject({ role: text, content });
const tool = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: text,
    description: z.optional(z.nullable(text)),
    parameters: z.optional(z.nullable(z.record(text, z.unknown()))),
  }),
});

export const responseFormat = z.looseObject({ type: z.enum(["text", "json_object", "json_schema"]) });

export const chatRequest = z.object({
  model: z.string().check(z.minLength(1), z.maxLength(256)),
  messages: z.array(message).check(z.minLength(1), z.maxLength(MAX_MESSAGES)),
  stream: z.optional(z.nullable(z.boolean())),
  stream_options: z.optional(z.nullable(z.looseObject({ include_usage: z.optional(z.boolean()) }))),
  tools: z.optional(z.nullable(z.array(tool))),
  tool_choice: z.optional(z.unknown()),
  response_format: z.optional(z.nullable(responseFormat)),
  reasoning_effort: z.optional(z.nullable(text)),
  metadata: z.optional(z.nullable(z.record(text, text))),
  n: z.optional(z.nullable(z.number())),
  modalities: z.optional(z.nullable(z.array(text))),
  logprobs: z.optional(z.nullable(z.boolean())),
  functions: z.optional(z.unknown()),
  user: z.optional(z.nullable(text)),
  // The agent's settings hold instead of these.
  temperature: z.optional(z.unknown()),
  top_p: z.optional(z.unknown()),
  max_tokens: z.optional(z.unknown()),
  max_completion_tokens: z.optional(z.unknown()),
  seed: z.optional(z.unknown()),
  stop: z.optional(z.unknown()),
  presence_penalty: z.optional(z.unknown()),
  frequency_penalty: z.optional(z.unknown()),
  parallel_tool_calls: z.optional(z.unknown()),
  store: z.optional(z.unknown()),
  service_tier: z.optional(z.unknown()),
});
export type ChatRequest = z.output<typeof chatRequest>;
type ChatMessage = ChatRequest["messages"][number];

/** Throws for a field that an engine has no counterpart of. */
export function assertSupported(calls: EngineCalls, body: ChatRequest): void {
  const refuse = (field: string, expected: string) => {
    throw calls.error("INVALID_REQUEST", `${field}: ${expected}`);
  };
  if ((body.n ?? 1) !== 1) refuse("n", "not supported, expected 1");
  if (body.logprobs === true) refuse("logprobs", "not supported");
  if (body.functions !== undefined) refuse("functions", "not supported, expected tools");
  if (body.modalities?.some((one) => one !== "text")) refuse("modalities", "not supported, expected text");
}

/** The tools of a call, but for `tool_choice: "none"`. */
export function clientToolsOf(
  calls: EngineCalls,
  tools: readonly FunctionTool[],
  choice: unknown,
): readonly ClientTool[] {
  const known = choice === undefined || choice === null || choice === "auto" || choice === "none";
  if (!known) throw calls.error("INVALID_REQUEST", "tool_choice: not supported, expected auto or none");
  if (choice === "none") return [];
  return tools.map(({ name, description, parameters }) => ({
    name,
    description: description || name,
    input_schema: { ...parameters, type: "object" },
  }));
}

export interface FunctionTool {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
}

const FREE_FORM = { type: "object" } as const;

/** The schema of a structured answer. Undefined: text. `format` is that of a chat or, flattened, of a response. */
export function schemaOf(
  calls: EngineCalls,
  format: Readonly<Record<string, unknown>> | null | undefined,
  field: string,
): Record<string, unknown> | undefined {
  if (format === null || format === undefined || format["type"] === "text") return undefined;
  if (format["type"] === "json_object") return FREE_FORM;
  const { schema } = (format["json_schema"] ?? format) as { readonly schema?: unknown };
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw calls.error("INVALID_REQUEST", `${field}.schema: required, expected a JSON schema`);
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>;
  return rest;
}

/** What of the messages is new: those after the last one of the assistant. */
export function chatConversation(calls: EngineCalls, messages: readonly ChatMessage[]): SentConversation {
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  const history: Line[] = [];
  const instructions: string[] = [];
  const parts: MessagePart[] = [];
  const outputs: CallOutput[] = [];
  messages.forEach((message, index) => {
    const field = `messages.${index}`;
    const isNew = index > lastAnswer;
    switch (message.role) {
      case "system":
      case "developer":
        instructions.push(plainText(message));
        break;
      case "user":
        if (isNew) parts.push(...partsOf(calls, message, field));
        else addLine(history, { role: "user", text: plainText(message) });
        break;
      case "assistant":
        addLine(history, { role: "assistant", text: plainText(message) });
        break;
      case "tool":
        if (isNew) outputs.push({ callId: idOf(calls, message, field), output: plainText(message) });
        break;
      default:
        throw calls.error("INVALID_REQUEST", `${field}.role: expected system, developer, user, assistant or tool`);
    }
  });
  if (parts.length === 0 && outputs.length === 0)
    throw calls.error("INVALID_REQUEST", "messages: expected a message of the user, or of a tool, at the end");
  return { history, parts, outputs, approvals: [], instructions };
}

/** Answers of one turn, between which a client has run tools, are one line. */
export function addLine(history: Line[], line: Line): void {
  const last = history.at(-1);
  if (last?.role !== line.role) history.push(line);
  else history.splice(-1, 1, { ...line, text: [last.text, line.text].filter((one) => one !== "").join("\n\n") });
}

function idOf(calls: EngineCalls, message: ChatMessage, field: string): string {
  const id = message["tool_call_id"];
  if (typeof id !== "string" || id === "" || id.length > 255)
    throw calls.error("INVALID_REQUEST", `${field}.tool_call_id: expected the id of a tool call`);
  return id;
}

function plainText({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join("\n");
}

function partsOf(calls: EngineCalls, { content }: ChatMessage, field: string): readonly MessagePart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (content ?? []).map((part, index) => partOf(calls, part, `${field}.content.${index}`));
}

function partOf(calls: EngineCalls, part: z.output<typeof contentPart>, field: string): MessagePart {
  const inner = (name: string) => (part[name] ?? {}) as Readonly<Record<string, unknown>>;
  switch (part.type) {
    case "text":
      return { type: "text", text: String(part["text"] ?? "") };
    case "image_url":
      return fileOf(calls, { data: inner("image_url")["url"], type: "image" }, `${field}.image_url.url`);
    case "file": {
      const { file_data: data, filename: name } = inner("file");
      return fileOf(calls, { data, name, type: "file" }, `${field}.file.file_data`);
    }
    case "input_audio": {
      const { data, format } = inner("input_audio");
      return fileOf(calls, { data, name: `audio.${String(format)}`, type: "file" }, `${field}.input_audio.data`);
    }
    default:
      throw calls.error("INVALID_REQUEST", `${field}.type: expected text, image_url, file or input_audio`);
  }
}
