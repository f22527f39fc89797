import { asText } from "../../../shared/json-values.ts";
import type { AssistantContent, ModelMessage, ToolOutcome } from "../model-provider.ts";

type ToolUse = Extract<AssistantContent, { kind: "tool_use" }>;

const UNKNOWN_OUTCOME = "the call did not finish; whether it took effect is unknown";

/**
 * The conversation with exactly one result after each call, in call order, and no result without a call. Calls that
 * share an id take the results of that id in order.
 */
export function pairCalls(messages: readonly ModelMessage[]): ModelMessage[] {
  const paired: ModelMessage[] = [];
  let calls: readonly ToolUse[] = [];
  let results: ToolOutcome[] = [];
  const settle = () => {
    if (calls.length > 0) paired.push({ role: "tool", results: calls.map((call) => resultOf(call, results)) });
    calls = [];
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(...message.results);
      continue;
    }
    settle();
    paired.push(message);
    if (message.role === "assistant") calls = message.content.filter((part) => part.kind === "tool_use");
  }
  settle();
  return paired;
}

function resultOf({ id, tool }: ToolUse, results: ToolOutcome[]): ToolOutcome {
  const at = results.findIndex((result) => result.id === id);
  const [found] = at === -1 ? [] : results.splice(at, 1);
  return found === undefined ? { id, tool, output: UNKNOWN_OUTCOME, isError: true } : { ...found, id, tool };
}

/** The conversation with calls and results as text, and without thinking. Attachments stay. */
export const plainHistory = (messages: readonly ModelMessage[]): ModelMessage[] => messages.map(plainMessage);

function plainMessage(message: ModelMessage): ModelMessage {
  switch (message.role) {
    case "user":
      return message;
    case "assistant":
      return { role: "assistant", content: message.content.flatMap(plainPart) };
    case "tool":
      return plainResults(message.results);
    default:
      return message satisfies never;
  }
}

function plainPart(part: AssistantContent): readonly AssistantContent[] {
  switch (part.kind) {
    case "text":
      return [part];
    case "thinking":
      return [];
    case "tool_use":
      return [{ kind: "text", text: `[called the tool ${part.tool} with ${JSON.stringify(part.input)}]` }];
    default:
      return part satisfies never;
  }
}

/** Files of the results follow their text. */
function plainResults(results: readonly ToolOutcome[]): ModelMessage {
  const text = results.map(plainResult).join("\n");
  const files = results.flatMap(({ parts = [] }) => parts);
  return { role: "user", text, ...(files.length > 0 && { parts: [{ kind: "text", text }, ...files] }) };
}

const plainResult = ({ tool, output, isError }: ToolOutcome): string =>
  `[the tool ${tool} ${isError ? "failed" : "answered"}: ${asText(output)}]`;
