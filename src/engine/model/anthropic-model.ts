import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { anthropicThinking } from "./anthropic-thinking.ts";
import { cacheBreakpoints } from "./cache-breakpoints.ts";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";

const BREAKPOINT: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** The Messages interface. */
export function openFamily(settings: ModelSettings): ModelFamily {
  const provider = createAnthropic(packageSettings(settings));
  return {
    model: (id) => provider(id),
    adapt: (options, request) => {
      const thinking = anthropicThinking(request);
      // The package adds the budget to the limit it is given; the sum is what was asked for.
      const budget = thinking?.type === "enabled" ? thinking.budgetTokens : 0;
      return {
        ...cacheBreakpoints(withoutUnsignedThinking(options), BREAKPOINT),
        maxOutputTokens: request.maxOutputTokens - budget,
        // Arguments are used when they are whole, so they need not come before they are known to be JSON.
        providerOptions: { anthropic: { toolStreaming: false, ...(thinking && { thinking }) } },
      };
    },
  };
}

/** Thinking that was cut off before its signature, or is another provider's, is refused; so is a message left empty. */
function withoutUnsignedThinking(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt = options.prompt.flatMap((message): readonly LanguageModelV4Message[] => {
    if (message.role !== "assistant") return [message];
    const content = message.content.filter(
      (part) => part.type !== "reasoning" || part.providerOptions?.["anthropic"] !== undefined,
    );
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  return { ...options, prompt };
}
