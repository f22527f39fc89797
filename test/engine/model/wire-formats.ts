import { crc32 } from "node:zlib";
import type { RemoteProvider } from "../../../src/engine/model/wire/wire-rules.ts";

/** One answer in the wire formats of the providers: a thought, a text in two pieces, two tool calls at once. */
const data = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const typed = (value: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`;

export const anthropicFrames: readonly string[] = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 20, cache_read_input_tokens: 70, cache_creation_input_tokens: 10, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me see." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "SIGNED==" } },
  { type: "content_block_stop", index: 0 },
  { type: "ping" },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hello " } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "there" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "call_1", name: "list_files", input: {} },
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"path":' } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '"."}' } },
  { type: "content_block_stop", index: 2 },
  {
    type: "content_block_start",
    index: 3,
    content_block: { type: "tool_use", id: "call_2", name: "read_file", input: {} },
  },
  { type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: '{"path":"a"}' } },
  { type: "content_block_stop", index: 3 },
  { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 30 } },
  { type: "message_stop" },
].map(typed);

const chunk = (delta: unknown, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "any",
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const callDelta = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] });

/** The arguments of the two calls come interleaved. */
export const chatFrames: readonly string[] = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "Let me " }),
  chunk({ reasoning_content: "see." }),
  chunk({ content: "Hello " }),
  chunk({ content: "there" }),
  callDelta(0, { id: "call_1", type: "function", function: { name: "list_files", arguments: "" } }),
  callDelta(1, { id: "call_2", type: "function", function: { name: "read_file", arguments: "" } }),
  callDelta(0, { function: { arguments: '{"path":' } }),
  callDelta(1, { function: { arguments: '{"path":"a"}' } }),
  callDelta(0, { function: { arguments: '"."}' } }),
  { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  {
    ...chunk({}),
    choices: [],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 30,
      total_tokens: 130,
      prompt_tokens_details: { cached_tokens: 70 },
    },
  },
  "[DONE]",
].map(data);

const message = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
const call = (number: number, name: string, args: string) => ({
  type: "function_call",
  id: `fc_${number}`,
  call_id: `call_${number}`,
  name,
  arguments: args,
  status: args === "" ? "in_progress" : "completed",
});
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "gpt-5.1",
  status: "in_progress",
  output: [],
};

export const responsesFrames: readonly string[] = [
  { type: "response.created", response },
  { type: "response.output_item.added", output_index: 0, item: { ...reasoning, encrypted_content: null } },
  {
    type: "response.reasoning_summary_part.added",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    part: { type: "summary_text", text: "" },
  },
  {
    type: "response.reasoning_summary_text.delta",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    delta: "Let me see.",
  },
  {
    type: "response.reasoning_summary_part.done",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    part: { type: "summary_text", text: "Let me see." },
  },
  {
    type: "response.output_item.done",
    output_index: 0,
    item: { ...reasoning, summary: [{ type: "summary_text", text: "Let me see." }], encrypted_content: "SIGNED==" },
  },
  { type: "response.output_item.added", output_index: 1, item: message },
  { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "Hello " },
  { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "there" },
  { type: "response.output_item.done", output_index: 1, item: { ...message, status: "completed" } },
  { type: "response.output_item.added", output_index: 2, item: call(1, "list_files", "") },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: '{"path":"."}' },
  { type: "response.output_item.done", output_index: 2, item: call(1, "list_files", '{"path":"."}') },
  { type: "response.output_item.added", output_index: 3, item: call(2, "read_file", "") },
  { type: "response.function_call_arguments.delta", item_id: "fc_2", output_index: 3, delta: '{"path":"a"}' },
  { type: "response.output_item.done", output_index: 3, item: call(2, "read_file", '{"path":"a"}') },
  {
    type: "response.completed",
    response: {
      ...response,
      status: "completed",
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 70 },
        output_tokens: 30,
        output_tokens_details: { reasoning_tokens: 10 },
        total_tokens: 130,
      },
    },
  },
].map((event, index) => typed({ ...event, sequence_number: index }));

const candidate = (parts: readonly unknown[], more: object = {}) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
  responseId: "r1",
});

export const googleFrames: readonly string[] = [
  candidate([{ text: "Let me see.", thought: true }]),
  candidate([{ text: "Hello " }]),
  candidate([{ text: "there" }]),
  candidate([
    { functionCall: { id: "call_1", name: "list_files", args: { path: "." } }, thoughtSignature: "SIGNED==" },
    { functionCall: { id: "call_2", name: "read_file", args: { path: "a" } } },
  ]),
  {
    ...candidate([{ text: "" }], { finishReason: "STOP" }),
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 70,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 10,
      totalTokenCount: 130,
    },
  },
].map(data);

/** A message of the event stream encoding of AWS: lengths, their checksum, headers, the JSON, and a checksum of all. */
function eventMessage(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const header = ([name, value]: [string, string]) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(value));
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
  };
  const head = Buffer.concat(Object.entries(headers).map(header));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(head.length + body.length + 16, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, body, Buffer.alloc(4)]);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

/** What Bedrock pads its messages with differs in length, so that theirs tells nothing. */
export const converse = ([type, payload]: readonly [string, Readonly<Record<string, unknown>>]): Buffer =>
  eventMessage(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    { ...payload, p: "abcdefghijk" },
  );
const delta = (contentBlockIndex: number, value: unknown) =>
  ["contentBlockDelta", { contentBlockIndex, delta: value }] as const;
const stop = (contentBlockIndex: number) => ["contentBlockStop", { contentBlockIndex }] as const;
const toolStart = (contentBlockIndex: number, toolUseId: string, name: string) =>
  ["contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId, name } } }] as const;

const converseEvents: readonly Parameters<typeof converse>[0][] = [
  ["messageStart", { role: "assistant" }] as const,
  delta(0, { reasoningContent: { text: "Let me see." } }),
  delta(0, { reasoningContent: { signature: "SIGNED==" } }),
  stop(0),
  delta(1, { text: "Hello " }),
  delta(1, { text: "there" }),
  stop(1),
  toolStart(2, "call_1", "list_files"),
  delta(2, { toolUse: { input: '{"path":' } }),
  delta(2, { toolUse: { input: '"."}' } }),
  stop(2),
  toolStart(3, "call_2", "read_file"),
  delta(3, { toolUse: { input: '{"path":"a"}' } }),
  stop(3),
  ["messageStop", { stopReason: "tool_use" }] as const,
  [
    "metadata",
    {
      metrics: { latencyMs: 1 },
      usage: {
        inputTokens: 20,
        outputTokens: 30,
        totalTokens: 130,
        cacheReadInputTokens: 70,
        cacheWriteInputTokens: 10,
      },
    },
  ] as const,
];
export const converseFrames: readonly Buffer[] = converseEvents.map(converse);

/** How each provider reports, inside a stream that was going well, that it cannot go on. */
export const streamedErrors = {
  anthropic: typed({ type: "error", error: { type: "overloaded_error", message: "SECRET Overloaded" } }),
  openai: typed({
    type: "error",
    code: "server_error",
    message: "SECRET failed",
    param: null,
    sequence_number: 99,
  }),
  google: data({ error: { code: 503, message: "SECRET overloaded", status: "UNAVAILABLE" } }),
  bedrock: eventMessage(
    {
      ":exception-type": "modelStreamErrorException",
      ":content-type": "application/json",
      ":message-type": "exception",
    },
    { message: "SECRET the model broke", originalStatusCode: 503 },
  ),
  "openai-compatible": data({ error: { message: "SECRET overloaded", type: "server_error", code: 503 } }),
};

export const FRAMES = {
  anthropic: anthropicFrames,
  openai: responsesFrames,
  google: googleFrames,
  bedrock: converseFrames,
  "openai-compatible": chatFrames,
} as const satisfies Record<RemoteProvider, readonly (string | Buffer)[]>;
/** The same answer, which calls another tool in place of `read_file`. */
export function framesCalling(remote: RemoteProvider, tool: string): readonly (string | Buffer)[] {
  const renamed = (text: string) => text.replaceAll("read_file", tool);
  if (remote !== "bedrock") return FRAMES[remote].map((frame) => renamed(frame));
  return (JSON.parse(renamed(JSON.stringify(converseEvents))) as typeof converseEvents).map(converse);
}
export type Remote = keyof typeof FRAMES;
export const REMOTES = Object.keys(FRAMES) as readonly Remote[];

/** The settings that an engine needs for a provider besides its name, key and address. */
export const NEEDED_SETTINGS: Readonly<Record<Remote, Readonly<Record<string, string>>>> = {
  anthropic: {},
  openai: {},
  google: {},
  bedrock: { LLM_MODEL: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
  "openai-compatible": { LLM_MODEL: "any" },
};
