import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";

/**
 * The Chat Completions API of vLLM, Ollama, OpenRouter and others. Usage must be requested. Thinking options are not
 * sent, because servers refuse options they do not know; an effort is, because somebody asked for it.
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
    adapt: (options, { effort }) => (effort === undefined ? options : { ...options, reasoning: effort }),
  };
}
