import { createAnthropic } from "@ai-sdk/anthropic";
import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
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
      const thinking = anthropicThinking(request, options.prompt);
      // The package adds the budget to the limit it is given; the sum is what was asked for.
      const budget = thinking?.type === "enabled" ? thinking.budgetTokens : 0;
      return {
        ...cacheBreakpoints(options, BREAKPOINT),
        maxOutputTokens: request.maxOutputTokens - budget,
        // Arguments are used when they are whole, so they need not come before they are known to be JSON.
        providerOptions: { anthropic: { toolStreaming: false, ...(thinking && { thinking }) } },
      };
    },
  };
}
