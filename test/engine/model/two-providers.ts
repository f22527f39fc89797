const data = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const typed = (value: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`;

/** An answer of one text by Anthropic's protocol. */
export const anthropicText = (text: string): readonly string[] =>
  [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "any",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 7, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ].map(typed);

const chunk = (delta: unknown, finish: string | null, more: object = {}) =>
  data({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "any",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
const USAGE = { usage: { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 } };

/** The same by the protocol of Chat Completions. */
export const chatText = (text: string): readonly string[] => [
  chunk({ role: "assistant", content: text }, null),
  chunk({}, "stop", USAGE),
  data("[DONE]"),
];

/** A call of a tool by the protocol of Chat Completions. */
export const chatCall = (id: string, name: string, input: object): readonly string[] => [
  chunk(
    {
      role: "assistant",
      tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
    },
    null,
  ),
  chunk({}, "tool_calls", USAGE),
  data("[DONE]"),
];
