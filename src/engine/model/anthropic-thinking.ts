import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelRequest } from "./model-provider.ts";

const LEAST_BUDGET = 1024;
const NEVER_THINKS = /claude-(?:instant|v?2|3(?!-7))/;
const THINKS_BY_BUDGET = /claude-(?:3-7|[a-z]+-4(?:-[015](?!\d)|[-@]20\d{6}|$))/;

/**
 * How a model is told to think: today's decide for themselves how much, earlier ones (and what other makers offer under
 * this interface) take a budget. The package adds the budget to the limit it is given; the sum is what was asked for.
 */
export function anthropicThinking({
  model,
  thinking,
  maxOutputTokens,
}: ModelRequest): Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "providerOptions"> {
  const budgetTokens = Math.floor(maxOutputTokens / 2);
  if (!thinking || NEVER_THINKS.test(model)) return { maxOutputTokens };
  if (model.includes("claude-") && !THINKS_BY_BUDGET.test(model)) {
    return {
      maxOutputTokens,
      providerOptions: { anthropic: { thinking: { type: "adaptive", display: "summarized" } } },
    };
  }
  if (budgetTokens < LEAST_BUDGET) return { maxOutputTokens };
  return {
    maxOutputTokens: maxOutputTokens - budgetTokens,
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens } } },
  };
}
