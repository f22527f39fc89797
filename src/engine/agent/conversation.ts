import type { AssistantContent, ModelMessage, ToolOutcome } from "../model/model-provider.ts";
import type { StoredMessage } from "./step-log.ts";

type ToolUse = Extract<AssistantContent, { kind: "tool_use" }>;

const OPEN_CALL = "the call did not finish; whether it took effect is unknown";

/**
 * The conversation as a provider accepts it, whatever became of earlier turns: every tool call is followed by exactly
 * one result, in call order, and no result stands without its call. One call left open would make every later
 * request of the task fail.
 */
export function modelMessages(stored: readonly StoredMessage[], openCall = OPEN_CALL): ModelMessage[] {
  const messages: ModelMessage[] = [];
  let open: readonly ToolUse[] = [];
  const settle = (results: readonly ToolOutcome[]) => {
    if (open.length === 0) return;
    const given = new Map(results.map((result) => [result.id, result]));
    messages.push({
      role: "tool",
      results: open.map(({ id, tool }) => given.get(id) ?? { id, tool, output: openCall, isError: true }),
    });
    open = [];
  };
  for (const { role, content, recalled } of stored) {
    if (role === "tool") {
      settle(content as ToolOutcome[]);
      continue;
    }
    settle([]);
    if (role === "user") {
      messages.push({ role: "user", text: String(content), ...(recalled !== undefined && { recalled }) });
    } else {
      const parts = content as AssistantContent[];
      if (parts.length > 0) messages.push({ role: "assistant", content: parts });
      open = parts.filter((part) => part.kind === "tool_use");
    }
  }
  settle([]);
  return messages;
}

/** The ids of all calls of a conversation. */
export const callIdsOf = (stored: readonly StoredMessage[]): readonly string[] =>
  stored
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) =>
      (content as AssistantContent[]).flatMap((part) => (part.kind === "tool_use" ? part.id : [])),
    );

/** A result for each call of an answer that ends unsettled: what is known of it, or `words`. */
export function closingResults(
  content: readonly AssistantContent[],
  { known, words }: { readonly known: ReadonlyMap<string, ToolOutcome>; readonly words: string },
): ToolOutcome[] {
  return content.flatMap((part) =>
    part.kind === "tool_use"
      ? (known.get(part.id) ?? { id: part.id, tool: part.tool, output: words, isError: true })
      : [],
  );
}
