import type { ClientLimits } from "./limits.ts";
import type { OrchdError } from "./orchd-error.ts";

/** `lost`: the call may have run already, so it is retried only if it is safe to repeat. */
type RetryClass = "later" | "busy" | "once" | "lost" | "never";

export const CLASS_OF_CODE: Readonly<Record<string, RetryClass>> = {
  LLM_RATE_LIMITED: "later",
  RATE_LIMITED: "later",
  ENGINE_DRAINING: "later",
  SLEEPING_BUSY: "later",
  SERVICE_UNAVAILABLE: "later",
  CAPACITY_EXHAUSTED: "later",
  OPERATION_IN_PROGRESS: "later",
  TOO_MANY_READERS: "later",
  NO_TOKEN: "later",
  TASK_BUSY: "busy",
  BACKEND_ERROR: "once",
  LLM_PROVIDER_ERROR: "once",
  UNREACHABLE: "lost",
  TIMEOUT: "lost",
  CONNECTION_LOST: "lost",
  LEADER_LOST: "lost",
};
/** A proxy's own status for a service that is not available now. */
export const CLASS_OF_STATUS: Readonly<Record<number, RetryClass>> = {
  429: "later",
  503: "later",
  502: "lost",
  504: "lost",
};

export const retryClassOf = ({ code, status }: OrchdError): RetryClass =>
  CLASS_OF_CODE[code] ?? (code === "BAD_ANSWER" ? CLASS_OF_STATUS[status ?? 0] : undefined) ?? "never";

/**
 * Milliseconds to wait before the next try; null if there is none. The service's `retry_after` is the minimum.
 * `tries` counts the failed tries, `random` is from 0 to 1.
 */
export function retryWait(
  error: OrchdError,
  {
    tries,
    repeatable,
    limits,
    random,
  }: {
    readonly tries: number;
    readonly repeatable: boolean;
    readonly limits: ClientLimits;
    readonly random: number;
  },
): number | null {
  const retryClass = retryClassOf(error);
  if (retryClass === "never" || tries > limits.retries) return null;
  if ((retryClass === "busy" && !limits.retryBusy) || (retryClass === "lost" && !repeatable)) return null;
  if (retryClass === "once" && tries > 1) return null;
  const askedMs = error.retryAfterS === null ? null : error.retryAfterS * 1000;
  if (askedMs !== null && askedMs > limits.longestWaitMs) return null;
  // Spreads clients that were refused at the same moment.
  const jitterMs = random * Math.min(limits.backoffMs, 1000);
  return (askedMs ?? limits.backoffMs * 2 ** (tries - 1)) + jitterMs;
}
