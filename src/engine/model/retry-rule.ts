import type { ModelFailure } from "./model-provider.ts";

export const RETRY_RULE = { maxTries: 5, firstDelayMs: 1000, jitterMs: 1000, longestWaitMs: 60_000 };

export type RetryVerdict =
  | { readonly kind: "wait"; readonly ms: number }
  /** The failure to report to the client. */
  | { readonly kind: "give_up"; readonly failure: ModelFailure };

/**
 * Whether and when to retry. A provider's retry-after is the minimum wait; above `longestWaitMs` it is reported to the
 * client at once. `random` is 0 to 1.
 */
export function retryVerdict(
  failure: ModelFailure,
  { tries, waitedMs, random }: { readonly tries: number; readonly waitedMs: number; readonly random: number },
): RetryVerdict {
  if (failure.kind !== "rate_limited" && failure.kind !== "transient") return { kind: "give_up", failure };
  const { message, retryAfterS } = failure;
  const { maxTries, firstDelayMs, jitterMs, longestWaitMs } = RETRY_RULE;
  const retryAfterMs = (retryAfterS ?? 0) * 1000;
  if (retryAfterMs > longestWaitMs) return { kind: "give_up", failure: { kind: "rate_limited", message, retryAfterS } };
  const minMs = Math.max(firstDelayMs * 2 ** (tries - 1), retryAfterMs);
  const leftMs = longestWaitMs - waitedMs;
  if (tries >= maxTries || minMs > leftMs) return { kind: "give_up", failure };
  // Jitter spreads calls that wait for the same moment.
  return { kind: "wait", ms: Math.min(minMs + random * jitterMs, leftMs) };
}
