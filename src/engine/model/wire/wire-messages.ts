import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { AssistantContent, ModelMessage, ToolOutcome } from "../model-provider.ts";
import { CallIds, wireToolName } from "./call-names.ts";
import { cleanJson, cleanObject } from "./clean-json.ts";
import { pairCalls } from "./pair-calls.ts";
import { plainHistory } from "./plain-history.ts";
import { WireThinking, ownSignature } from "./wire-thinking.ts";
import type { WireRules } from "./wire-rules.ts";
import type { WireTools } from "./wire-tools.ts";

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantPart = Assistant["content"][number];
type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;
type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

const EMPTY = "(empty)";
const BEGINNING = "(the beginning of the conversation is not shown)";
const GO_ON = "(go on)";
const NO_ANSWER = "(no answer)";
/** OpenAI takes 10 MiB in one text. */
const LONGEST_TEXT = 10_000_000;

/**
 * Any history as the provider accepts it: calls and results in pairs, names and ids in its form, no blank text, only
 * thinking that it signed, roles in turn, a message of the user at both ends. A rule decides on each part by what stands
 * before it, so that a history that has grown begins with the same bytes.
 */
export function wireMessages(
  messages: readonly ModelMessage[],
  { rules, tools }: { readonly rules: WireRules; readonly tools: WireTools },
): LanguageModelV4Message[] {
  const paired = pairCalls(messages);
  // Calls are refused where no tools are defined.
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

  user({ text, recalled = "" }: Extract<ModelMessage, { role: "user" }>): void {
    const texts = [text, ...(recalled.trim() === "" ? [] : [recalled])];
    this.#write({ role: "user", content: texts.map((one) => ({ type: "text", text: wireText(one) })) });
  }

  /** An answer with the results of its calls; with more calls than a message may have, several of both. */
  answer({ content }: AssistantMessage, { results }: ToolMessage): void {
    const thinking = this.#thinking.of(content);
    let parts: AssistantPart[] = [];
    let outcomes: LanguageModelV4ToolResultPart[] = [];
    let calls = 0;
    const flush = () => {
      this.#write({ role: "assistant", content: withoutLastThinking(parts) });
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
      if (result !== undefined) outcomes.push(resultPart(result, id));
    }
    flush();
  }

  end(): LanguageModelV4Message[] {
    if (this.#written.at(-1)?.role === "assistant") this.#say("user", GO_ON);
    if (this.#written.length === 0) this.#say("user", EMPTY);
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
    if (last === undefined && message.role !== "user") this.#say("user", BEGINNING);
    if (last?.role === "tool" && message.role === "user" && this.#rules.answersResults)
      this.#say("assistant", NO_ANSWER);
    if (last?.role === "user" && message.role === "user") last.content.push(...message.content);
    else if (last?.role === "assistant" && message.role === "assistant") last.content.push(...message.content);
    else this.#written.push(message);
  }

  #say(role: "user" | "assistant", text: string): void {
    this.#written.push({ role, content: [{ type: "text", text }] });
  }
}

/** Thinking that nothing follows was cut off or led to nothing: an answer may not end with it. */
function withoutLastThinking(parts: readonly AssistantPart[]): AssistantPart[] {
  return parts.slice(0, parts.findLastIndex(({ type }) => type !== "reasoning") + 1);
}

/** An answer without a thought says so: a provider that requires the field refuses its absence, not its emptiness. */
function withReasoning(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== "assistant" || message.content.some(({ type }) => type === "reasoning")) return message;
  return { ...message, providerOptions: { openaiCompatible: { reasoning_content: "" } } };
}

function resultPart({ tool, output, isError }: ToolOutcome, id: string): LanguageModelV4ToolResultPart {
  const about = { type: "tool-result", toolCallId: id, toolName: wireToolName(tool) } as const;
  if (typeof output !== "string")
    return { ...about, output: { type: isError ? "error-json" : "json", value: cleanJson(output ?? null) } };
  return { ...about, output: { type: isError ? "error-text" : "text", value: wireText(output) } };
}

function wireText(text: string): string {
  if (text.trim() === "") return EMPTY;
  return (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text).toWellFormed();
}
