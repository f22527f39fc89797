import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";

/**
 * Chat completions as vLLM, Ollama, OpenRouter and others speak them. Usage has to be asked for; whether a model thinks
 * is its own affair here, for servers refuse a wish they do not know.
 */
export function openFamily(settings: ModelSettings): ModelFamily {
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    includeUsage: true,
    baseURL: "",
    ...packageSettings(settings),
  });
  return {
    model: (id) => provider(id),
    embedding: (id) => provider.embeddingModel(id),
    adapt: (options) => options,
  };
}
