import { createAnthropic } from "@ai-sdk/anthropic";
import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { anthropicEffort, anthropicThinking, cacheBreakpoints } from "./anthropic-options.ts";
import { type ModelFamily, type ModelSettings, packageSettings } from "./model-family.ts";

const BREAKPOINT: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Anthropic's Messages API. */
export function openFamily(settings: ModelSettings): ModelFamily {
  const provider = createAnthropic(packageSettings(settings));
  return {
    model: (id) => provider(id),
    adapt: (options, request) => {
      const thinking = anthropicThinking(request, options.prompt);
      // The package adds the budget to `maxOutputTokens`.
      const budget = thinking?.type === "enabled" ? thinking.budgetTokens : 0;
      const effort = anthropicEffort(request);
      return {
        ...cacheBreakpoints(options, BREAKPOINT),
        maxOutputTokens: request.maxOutputTokens - budget,
        // Partial arguments are not used, so let the provider buffer and validate them.
        providerOptions: {
          anthropic: { toolStreaming: false, ...(thinking && { thinking }), ...(effort && { effort }) },
        },
      };
    },
  };
}
