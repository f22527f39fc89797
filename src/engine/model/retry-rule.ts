import type { ModelFailure } from "./model-provider.ts";

export const RETRY_RULE = { maxTries: 5, firstDelayMs: 1000, jitterMs: 1000, longestWaitMs: 60_000 };

/**
 * How long to wait before the next try; null when there is none. A provider's retry-after is the least wait; one
 * longer than a client should be kept waiting for is the client's to know. `random` is 0 to 1.
 */
export function retryDelay(
  failure: ModelFailure,
  { tries, waitedMs, random }: { readonly tries: number; readonly waitedMs: number; readonly random: number },
): number | null {
  if (failure.kind !== "rate_limited" && failure.kind !== "transient") return null;
  if (tries >= RETRY_RULE.maxTries) return null;
  const backOff = RETRY_RULE.firstDelayMs * 2 ** (tries - 1) + random * RETRY_RULE.jitterMs;
  const delay = Math.max(backOff, (failure.retryAfterS ?? 0) * 1000);
  return waitedMs + delay > RETRY_RULE.longestWaitMs ? null : delay;
}
