import type { AssistantContent, ModelMessage, ToolOutcome } from "../model/model-provider.ts";
import { pairCalls } from "../model/wire/pair-calls.ts";
import type { StoredMessage } from "./step-log.ts";

/** Converts a stored conversation to model messages. Each tool call gets exactly one result, if needed a placeholder. */
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

export const callIdsOf = (stored: readonly StoredMessage[]): readonly string[] =>
  stored
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) =>
      (content as AssistantContent[]).flatMap((part) => (part.kind === "tool_use" ? part.id : [])),
    );

/** A result for each call of an interrupted answer: the known outcome, or an error with `message`. */
export function closingResults(
  content: readonly AssistantContent[],
  { known, message }: { readonly known: ReadonlyMap<string, ToolOutcome>; readonly message: string },
): ToolOutcome[] {
  return content.flatMap((part) =>
    part.kind === "tool_use"
      ? (known.get(part.id) ?? { id: part.id, tool: part.tool, output: message, isError: true })
      : [],
  );
}
