/** Names of OpenTelemetry's semantic conventions for generative AI. None holds a message, an argument or a result. */
import type { Attributes } from "../../shared/tracing/span.ts";

/** Tokens of a turn or a model call. Those that the cache held are input tokens too. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheHitTokens: number;
}

/** Where our name of a provider differs. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = { google: "gcp.gemini", bedrock: "aws.bedrock" };

/** The agent and conversation of an operation. */
export const agentAttributes = (agent: string, taskId: string): Attributes => ({
  "gen_ai.agent.name": agent,
  "gen_ai.conversation.id": taskId,
});

export const usageAttributes = ({ inputTokens, outputTokens, cacheHitTokens }: TokenUsage): Attributes => ({
  "gen_ai.usage.input_tokens": inputTokens,
  "gen_ai.usage.output_tokens": outputTokens,
  "gen_ai.usage.cache_read.input_tokens": cacheHitTokens,
});

export const chatAttributes = (call: {
  readonly provider: string;
  readonly model: string;
  readonly purpose: string;
  readonly maxTokens: number;
}): Attributes => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": PROVIDER_NAMES[call.provider] ?? call.provider,
  "gen_ai.request.model": call.model,
  "gen_ai.request.max_tokens": call.maxTokens,
  "gen_ai.request.stream": true,
  "orchd.purpose": call.purpose,
});

export const toolAttributes = (tool: {
  readonly id: string;
  readonly name: string;
  readonly isRemote: boolean;
}): Attributes => ({
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": tool.name,
  "gen_ai.tool.call.id": tool.id,
  "gen_ai.tool.type": tool.isRemote ? "extension" : "function",
});
