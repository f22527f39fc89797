import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
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
    adapt: (options) => alternating(withoutGoogleSignatures(options)),
  };
}

/** The package forwards what Google itself signed; a server that is not Google's refuses the field. */
function withoutGoogleSignatures(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt = options.prompt.map((message): LanguageModelV4Message => {
    if (message.role !== "assistant") return message;
    const content = message.content.map((part) =>
      part.providerOptions?.["google"] === undefined ? part : { ...part, providerOptions: {} },
    );
    return { ...message, content };
  });
  return { ...options, prompt };
}

/** Templates of local models refuse two messages of the user in a row: they become one. */
function alternating(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt: LanguageModelV4Message[] = [];
  for (const message of options.prompt) {
    const last = prompt.at(-1);
    if (message.role === "user" && last?.role === "user")
      prompt[prompt.length - 1] = { ...last, content: [...last.content, ...message.content] };
    else prompt.push(message);
  }
  return { ...options, prompt };
}
