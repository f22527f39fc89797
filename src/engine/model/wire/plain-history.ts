import type { AssistantContent, ModelMessage, ToolOutcome } from "../model-provider.ts";

/** The conversation with calls and results as text, and without thinking. */
export const plainHistory = (messages: readonly ModelMessage[]): ModelMessage[] => messages.map(plainMessage);

function plainMessage(message: ModelMessage): ModelMessage {
  switch (message.role) {
    case "user":
      return message;
    case "assistant":
      return { role: "assistant", content: message.content.flatMap(plainPart) };
    case "tool":
      return { role: "user", text: message.results.map(plainResult).join("\n") };
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

const plainResult = ({ tool, output, isError }: ToolOutcome): string =>
  `[the tool ${tool} ${isError ? "failed" : "answered"}: ${typeof output === "string" ? output : JSON.stringify(output)}]`;
