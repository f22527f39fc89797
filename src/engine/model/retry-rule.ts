import type { ModelFailure } from "./model-provider.ts";

export const RETRY_RULE = { maxTries: 5, firstDelayMs: 1000, jitterMs: 1000, longestWaitMs: 60_000 };

export type RetryVerdict =
  | { readonly kind: "wait"; readonly ms: number }
  /** The failure as the client is to hear it. */
  | { readonly kind: "give_up"; readonly failure: ModelFailure };

/**
 * Whether to try again, and when. A provider's retry-after is the least wait; one longer than a client should be kept
 * waiting for is the client's to know, at once. `random` is 0 to 1.
 */
export function retryVerdict(
  failure: ModelFailure,
  { tries, waitedMs, random }: { readonly tries: number; readonly waitedMs: number; readonly random: number },
): RetryVerdict {
  if (failure.kind !== "rate_limited" && failure.kind !== "transient") return { kind: "give_up", failure };
  const { message, retryAfterS } = failure;
  const { maxTries, firstDelayMs, jitterMs, longestWaitMs } = RETRY_RULE;
  const askedMs = (retryAfterS ?? 0) * 1000;
  if (askedMs > longestWaitMs) return { kind: "give_up", failure: { kind: "rate_limited", message, retryAfterS } };
  const leastMs = Math.max(firstDelayMs * 2 ** (tries - 1), askedMs);
  const leftMs = longestWaitMs - waitedMs;
  if (tries >= maxTries || leastMs > leftMs) return { kind: "give_up", failure };
  // Those who were asked to wait for the same moment do not all come in it.
  return { kind: "wait", ms: Math.min(leastMs + random * jitterMs, leftMs) };
}
