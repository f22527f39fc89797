import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Effort } from "../../contract/engine/model-choice.ts";
import type { ModelRequest } from "./model-provider.ts";

const MIN_BUDGET = 1024;
const NEVER_THINKS = /claude-(?:instant|v?2|3(?!-7))/;
/** The share of an answer's tokens that may be thinking. */
const BUDGET_SHARE: Readonly<Record<Effort, number>> = { low: 0.25, medium: 0.5, high: 0.75 };
const THINKS_BY_BUDGET = /claude-(?:3-7|[a-z]+-4(?:-[015](?!\d)|[-@]20\d{6}|$))/;

type Thinking =
  | { readonly type: "adaptive"; readonly display: "summarized" }
  | { readonly type: "enabled"; readonly budgetTokens: number };

/**
 * Thinking options of a request: adaptive for current models, a token budget within `maxOutputTokens` for earlier ones
 * and other vendors' models. Undefined without thinking.
 */
export function anthropicThinking(
  { model, thinking, effort = "medium", maxOutputTokens }: ModelRequest,
  prompt: LanguageModelV4Prompt,
): Thinking | undefined {
  if (!thinking || NEVER_THINKS.test(model)) return undefined;
  if (takesEffort(model)) return { type: "adaptive", display: "summarized" };
  if (!mayThink(prompt)) return undefined;
  const budgetTokens = Math.floor(maxOutputTokens * BUDGET_SHARE[effort]);
  return budgetTokens < MIN_BUDGET ? undefined : { type: "enabled", budgetTokens };
}

/** The models of today. Earlier ones refuse it: there the effort is the share of the budget. */
const takesEffort = (model: string): boolean =>
  model.includes("claude-") && !NEVER_THINKS.test(model) && !THINKS_BY_BUDGET.test(model);

export const anthropicEffort = ({ model, effort }: ModelRequest): Effort | undefined =>
  takesEffort(model) ? effort : undefined;

/** With a budget, the API refuses a continuation after tool results unless the answer began with thinking. */
function mayThink(prompt: LanguageModelV4Prompt): boolean {
  if (prompt.at(-1)?.role !== "tool") return true;
  const lastUser = prompt.findLastIndex(({ role }) => role === "user");
  const answer = prompt.slice(lastUser).find(({ role }) => role === "assistant");
  return answer?.role === "assistant" && answer.content[0]?.type === "reasoning";
}

/**
 * Sets the four cache breakpoints a provider allows: after the tools, the system prompt, this request and the previous
 * request. The last is needed because the provider looks back only about 20 blocks. `mark`: the provider's option.
 */
export function cacheBreakpoints(
  options: LanguageModelV4CallOptions,
  mark: SharedV4ProviderOptions,
): LanguageModelV4CallOptions {
  const { prompt, tools = [] } = options;
  const sent = prompt.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : []));
  const marked = new Set([prompt.findIndex(({ role }) => role === "system"), ...lastSent(prompt, sent)]);
  return {
    ...options,
    prompt: prompt.map((message, index) => (marked.has(index) ? { ...message, providerOptions: mark } : message)),
    ...(tools.length > 0 && {
      tools: tools.map((tool, index) =>
        index === tools.length - 1 && tool.type === "function" ? { ...tool, providerOptions: mark } : tool,
      ),
    }),
  };
}

/** Indexes of the last sent message and of the last one before the previous answer. */
function lastSent(prompt: readonly LanguageModelV4Message[], sent: readonly number[]): readonly number[] {
  const last = sent.at(-1);
  const answer = prompt.findLastIndex(({ role }, index) => role === "assistant" && index < (last ?? 0));
  const before = sent.findLast((index) => index < answer);
  return [last, before].filter((index) => index !== undefined);
}
