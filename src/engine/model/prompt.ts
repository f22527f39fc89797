import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantContent, ModelMessage, ModelRequest, ToolOutcome } from "./model-provider.ts";

/** Marks the end of a prefix that the provider may keep; providers that keep none ignore it. */
const CACHE_BREAKPOINT: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** One model call as the provider packages take it, with the breakpoints that a growing conversation is cached by. */
export function callOptions(request: ModelRequest, signal: AbortSignal): LanguageModelV4CallOptions {
  const conversation = request.messages.map(promptMessage);
  const last = conversation.at(-1);
  // Two breakpoints: behind what never changes (tools and system), and behind everything sent this time.
  if (last !== undefined) last.providerOptions = CACHE_BREAKPOINT;
  return {
    prompt: [{ role: "system", content: request.system, providerOptions: CACHE_BREAKPOINT }, ...conversation],
    maxOutputTokens: request.maxOutputTokens,
    abortSignal: signal,
    ...(request.thinking && { reasoning: "medium" as const }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, inputSchema }) => ({
        type: "function" as const,
        name,
        description,
        inputSchema,
      })),
    }),
  };
}

function promptMessage(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text }] };
    case "assistant":
      return { role: "assistant", content: message.content.map(assistantPart) };
    case "tool":
      return { role: "tool", content: message.results.map(toolResult) };
    default:
      return message satisfies never;
  }
}

function assistantPart(part: AssistantContent) {
  switch (part.kind) {
    case "text":
      return { type: "text" as const, text: part.text };
    case "thinking": {
      // What the provider signed goes back with its signature, unchanged, or it refuses the conversation.
      const signature = part.signature as SharedV4ProviderMetadata | undefined;
      return { type: "reasoning" as const, text: part.text, ...(signature && { providerOptions: signature }) };
    }
    case "tool_use":
      return { type: "tool-call" as const, toolCallId: part.id, toolName: part.tool, input: part.input };
    default:
      return part satisfies never;
  }
}

function toolResult({ id, tool, output, isError }: ToolOutcome) {
  const isText = typeof output === "string";
  return {
    type: "tool-result" as const,
    toolCallId: id,
    toolName: tool,
    output: isText
      ? { type: isError ? ("error-text" as const) : ("text" as const), value: output }
      : { type: isError ? ("error-json" as const) : ("json" as const), value: output as JSONValue },
  };
}
