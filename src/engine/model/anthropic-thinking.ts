import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelRequest } from "./model-provider.ts";

const LEAST_BUDGET = 1024;
const NEVER_THINKS = /claude-(?:instant|v?2|3(?!-7))/;
const THINKS_BY_BUDGET = /claude-(?:3-7|[a-z]+-4(?:-[015](?!\d)|[-@]20\d{6}|$))/;

type Thinking =
  | { readonly type: "adaptive"; readonly display: "summarized" }
  | { readonly type: "enabled"; readonly budgetTokens: number };

/**
 * How a model is told to think: today's decide for themselves how much, earlier ones (and what other makers offer under
 * this interface) take a budget out of the limit of the whole answer. Undefined: it is not told to.
 */
export function anthropicThinking(
  { model, thinking, maxOutputTokens }: ModelRequest,
  prompt: LanguageModelV4Prompt,
): Thinking | undefined {
  if (!thinking || NEVER_THINKS.test(model)) return undefined;
  if (model.includes("claude-") && !THINKS_BY_BUDGET.test(model)) return { type: "adaptive", display: "summarized" };
  if (!mayThink(prompt)) return undefined;
  const budgetTokens = Math.floor(maxOutputTokens / 2);
  return budgetTokens < LEAST_BUDGET ? undefined : { type: "enabled", budgetTokens };
}

/** With a budget, an answer that goes on behind results of tools is refused unless it began with a thought. */
function mayThink(prompt: LanguageModelV4Prompt): boolean {
  if (prompt.at(-1)?.role !== "tool") return true;
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const begun = prompt.slice(asked).find(({ role }) => role === "assistant");
  return begun?.role === "assistant" && begun.content[0]?.type === "reasoning";
}
