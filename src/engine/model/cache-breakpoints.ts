import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";

/**
 * Marks where the provider's prompt cache may end, at its limit of four places: behind the tools and the system prompt,
 * which never change; behind everything sent this time; and behind what was sent the time before, because the provider
 * looks back only some 20 blocks from a mark for what it has kept. `mark` says it in the provider's words.
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

/** The last message of ours, and the last one before the answer that preceded it. */
function lastSent(prompt: readonly LanguageModelV4Message[], sent: readonly number[]): readonly number[] {
  const last = sent.at(-1);
  const answer = prompt.findLastIndex(({ role }, index) => role === "assistant" && index < (last ?? 0));
  const before = sent.findLast((index) => index < answer);
  return [last, before].filter((index) => index !== undefined);
}
