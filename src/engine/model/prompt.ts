import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantContent, ModelMessage, ModelRequest, ToolOutcome } from "./model-provider.ts";

/** One model call as every provider package takes it. */
export function callOptions(
  { system, messages, tools, maxOutputTokens }: ModelRequest,
  signal: AbortSignal,
): LanguageModelV4CallOptions {
  const opening: LanguageModelV4Message[] = system === "" ? [] : [{ role: "system", content: system }];
  return {
    prompt: [...opening, ...messages.flatMap(promptMessage)],
    maxOutputTokens,
    abortSignal: signal,
    // So that signs of life without content, such as pings, reach the watchdog.
    includeRawChunks: true,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function" as const,
        name,
        description,
        inputSchema,
      })),
    }),
  };
}

function promptMessage(message: ModelMessage): readonly LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: userParts(message) }];
    case "assistant": {
      const content = message.content.flatMap(assistantPart);
      return content.length > 0 ? [{ role: "assistant", content }] : [];
    }
    case "tool":
      return [{ role: "tool", content: message.results.map(toolResult) }];
    default:
      return message satisfies never;
  }
}

const userParts = ({ text, recalled }: Extract<ModelMessage, { role: "user" }>) =>
  [text, ...(recalled === undefined ? [] : [recalled])].map((part) => ({ type: "text" as const, text: part }));

function assistantPart(part: AssistantContent): readonly AssistantPart[] {
  switch (part.kind) {
    case "text":
      // Models write blank text now and then, and refuse to read it.
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    case "thinking":
      return [{ type: "reasoning", text: part.text, ...signed(part.signature) }];
    case "tool_use":
      return [
        {
          type: "tool-call",
          toolCallId: part.id,
          toolName: part.tool,
          input: part.input,
          ...signed(part.signature),
        },
      ];
    default:
      return part satisfies never;
  }
}

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/** What a provider signed goes back with its signature, unchanged, or it refuses the conversation. */
const signed = (signature: unknown): { providerOptions?: SharedV4ProviderOptions } =>
  signature === undefined ? {} : { providerOptions: signature as SharedV4ProviderOptions };

function toolResult({ id, tool, output, isError }: ToolOutcome): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: id,
    toolName: tool,
    output:
      typeof output === "string"
        ? { type: isError ? "error-text" : "text", value: output }
        : { type: isError ? "error-json" : "json", value: (output ?? null) as JSONValue },
  };
}
