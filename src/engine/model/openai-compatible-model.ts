import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelSettings } from "./create-provider.ts";

/** Chat completions as vLLM, Ollama, OpenRouter and others speak them; usage has to be asked for. */
export const createModel = ({ apiKey, baseUrl = "" }: ModelSettings, modelId: string): LanguageModelV4 =>
  createOpenAICompatible({
    name: "openai-compatible",
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
  })(modelId);
