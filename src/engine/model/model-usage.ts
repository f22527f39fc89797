import type { ModelUsage } from "./model-provider.ts";

/** Above any real model's limit for one call. */
const MAX_TOKENS = 100_000_000;

/** Replaces invalid token counts by 0: providers' numbers are untrusted input. */
export const sanitizeUsage = ({ inputTokens, outputTokens, cacheHitTokens }: ModelUsage): ModelUsage => ({
  inputTokens: countOf(inputTokens),
  outputTokens: countOf(outputTokens),
  cacheHitTokens: countOf(cacheHitTokens),
});

/** A token count of a provider, 0 when it is invalid. */
export function countOf(reported: unknown): number {
  return Number.isInteger(reported) && Number(reported) >= 0 && Number(reported) <= MAX_TOKENS ? Number(reported) : 0;
}
