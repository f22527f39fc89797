import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { AssistantContent, ModelMessage } from "../model-provider.ts";
import { CallIds, wireToolName } from "./call-names.ts";
import { cleanObject } from "./clean-json.ts";
import { pairCalls, plainHistory } from "./history.ts";
import { type UserPart, EMPTY, resultPart, userPart, wireText } from "./wire-files.ts";
import type { WireRules } from "./wire-rules.ts";
import { WireThinking, ownSignature } from "./wire-thinking.ts";
import type { WireTools } from "./wire-tools.ts";

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantPart = Assistant["content"][number];
type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;
type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

const OMITTED_START = "(the beginning of the conversation is not shown)";
const CONTINUE = "(go on)";
const NO_ANSWER = "(no answer)";

/**
 * Any history in a form the provider accepts: paired calls and results, its names and ids, no blank text, only thinking
 * it signed, alternating roles, user messages at both ends. Each part depends only on earlier parts, so that a longer
 * history keeps the same prefix for the prompt cache.
 */
export function wireMessages(
  messages: readonly ModelMessage[],
  { rules, tools }: { readonly rules: WireRules; readonly tools: WireTools },
): LanguageModelV4Message[] {
  const paired = pairCalls(messages);
  // Providers refuse calls in a request without tools.
  const history = tools.isEmpty ? plainHistory(paired) : paired;
  const writer = new HistoryWriter(rules, tools);
  for (const [index, message] of history.entries()) {
    const next = history[index + 1];
    if (message.role === "user") writer.user(message);
    if (message.role === "assistant")
      writer.answer(message, next?.role === "tool" ? next : { role: "tool", results: [] });
  }
  return writer.end();
}

class HistoryWriter {
  readonly #rules: WireRules;
  readonly #tools: WireTools;
  readonly #ids: CallIds;
  readonly #thinking: WireThinking;
  readonly #written: LanguageModelV4Message[] = [];

  constructor(rules: WireRules, tools: WireTools) {
    this.#rules = rules;
    this.#tools = tools;
    this.#ids = new CallIds(rules.callId);
    this.#thinking = new WireThinking(rules);
  }

  user(message: Extract<ModelMessage, { role: "user" }>): void {
    const { text, parts = [{ kind: "text", text }], context = "", recalled = "" } = message;
    const content = parts.map(userPart);
    for (const block of [context, recalled])
      if (block.trim() !== "") content.push({ type: "text", text: wireText(block) });
    this.#write({ role: "user", content });
  }

  /** An answer and its results, split into several messages at `maxCallsPerMessage`. */
  answer({ content }: AssistantMessage, { results }: ToolMessage): void {
    const thinking = this.#thinking.of(content);
    let parts: AssistantPart[] = [];
    let outcomes: LanguageModelV4ToolResultPart[] = [];
    const files: UserPart[] = [];
    let calls = 0;
    const flush = () => {
      this.#write({ role: "assistant", content: withoutTrailingThinking(parts) });
      this.#write({ role: "tool", content: outcomes });
      [parts, outcomes] = [[], []];
    };
    for (const part of content) {
      if (part.kind === "text" && part.text.trim() !== "") parts.push({ type: "text", text: wireText(part.text) });
      if (part.kind === "thinking") parts.push(...[thinking.get(part)].filter((one) => one !== undefined));
      if (part.kind !== "tool_use") continue;
      if (outcomes.length === this.#rules.maxCallsPerMessage) flush();
      const result = results[calls++];
      const id = this.#ids.take(part.id);
      parts.push(this.#call(part, id));
      if (result === undefined) continue;
      const { part: written, after } = resultPart(result, { id, rules: this.#rules });
      outcomes.push(written);
      files.push(...after);
    }
    flush();
    this.#write({ role: "user", content: files });
  }

  end(): LanguageModelV4Message[] {
    if (this.#written.at(-1)?.role === "assistant") this.#writeText("user", CONTINUE);
    if (this.#written.length === 0) this.#writeText("user", EMPTY);
    return this.#rules.reasoningRequired ? this.#written.map(withReasoning) : this.#written;
  }

  #call(part: Extract<AssistantContent, { kind: "tool_use" }>, id: string): AssistantPart {
    const { signer, callFields: fields } = this.#rules;
    const signature = ownSignature(part.signature, { signer, fields });
    return {
      type: "tool-call",
      toolCallId: id,
      toolName: wireToolName(part.tool),
      input: cleanObject(this.#tools.toWire(part.tool, part.input)),
      ...(signature !== null && { providerOptions: signature }),
    };
  }

  #write(message: LanguageModelV4Message): void {
    if (message.content.length === 0) return;
    const last = this.#written.at(-1);
    if (last === undefined && message.role !== "user") this.#writeText("user", OMITTED_START);
    if (last?.role === "tool" && message.role === "user" && this.#rules.answersResults)
      this.#writeText("assistant", NO_ANSWER);
    if (last?.role === "user" && message.role === "user") last.content.push(...message.content);
    else if (last?.role === "assistant" && message.role === "assistant") last.content.push(...message.content);
    else this.#written.push(message);
  }

  #writeText(role: "user" | "assistant", text: string): void {
    this.#written.push({ role, content: [{ type: "text", text }] });
  }
}

/** An answer must not end with thinking, as one that was cut off does. */
function withoutTrailingThinking(parts: readonly AssistantPart[]): AssistantPart[] {
  return parts.slice(0, parts.findLastIndex(({ type }) => type !== "reasoning") + 1);
}

/** DeepSeek requires the field, which may be empty. */
function withReasoning(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== "assistant" || message.content.some(({ type }) => type === "reasoning")) return message;
  return { ...message, providerOptions: { openaiCompatible: { reasoning_content: "" } } };
}
