import type { AssistantContent, ModelMessage, ToolOutcome } from "../model/model-provider.ts";
import { pairCalls } from "../model/wire/pair-calls.ts";
import type { StoredMessage } from "./step-log.ts";

/** A conversation as a model is shown it. Each call has exactly one result behind it, or words that it did not finish. */
export const modelMessages = (stored: readonly StoredMessage[], openCall?: string): ModelMessage[] =>
  pairCalls(stored.flatMap(modelMessage), openCall);

function modelMessage({ role, content, recalled }: StoredMessage): readonly ModelMessage[] {
  switch (role) {
    case "user":
      return [{ role, text: String(content), ...(recalled !== undefined && { recalled }) }];
    case "assistant": {
      const parts = content as readonly AssistantContent[];
      return parts.length > 0 ? [{ role, content: parts }] : [];
    }
    case "tool":
      return [{ role, results: content as readonly ToolOutcome[] }];
    default:
      return role satisfies never;
  }
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
