import type { ModelUsage } from "../model/model-provider.ts";

/** No model reads so much in one call: what is beyond is no count of tokens. */
const MOST_TOKENS = 100_000_000;

/** What a provider reports of a call, with 0 for whatever is no count: it comes from outside, whatever its type says. */
export const soundUsage = ({ inputTokens, outputTokens, cacheHitTokens }: ModelUsage): ModelUsage => ({
  inputTokens: countOf(inputTokens),
  outputTokens: countOf(outputTokens),
  cacheHitTokens: countOf(cacheHitTokens),
});

function countOf(reported: unknown): number {
  return Number.isInteger(reported) && Number(reported) >= 0 && Number(reported) <= MOST_TOKENS ? Number(reported) : 0;
}
