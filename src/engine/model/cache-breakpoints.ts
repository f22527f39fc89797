import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";

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
