import type { ClientLimits } from "./limits.ts";
import type { OrchdError } from "./orchd-error.ts";

/** `lost`: nobody knows whether it was done; only what is safe to repeat is tried again. */
type Sort = "later" | "busy" | "once" | "lost" | "never";

const SORTS: Readonly<Record<string, Sort>> = {
  LLM_RATE_LIMITED: "later",
  RATE_LIMITED: "later",
  ENGINE_DRAINING: "later",
  SERVICE_UNAVAILABLE: "later",
  CAPACITY_EXHAUSTED: "later",
  OPERATION_IN_PROGRESS: "later",
  TOO_MANY_READERS: "later",
  TASK_BUSY: "busy",
  BACKEND_ERROR: "once",
  LLM_PROVIDER_ERROR: "once",
  UNREACHABLE: "lost",
  TIMEOUT: "lost",
  CONNECTION_LOST: "lost",
};
/** What a proxy answers, in words of its own, for a service that is not there just now. */
const SORTS_OF_STATUS: Readonly<Record<number, Sort>> = { 429: "later", 503: "later", 502: "lost", 504: "lost" };

export const sortOf = ({ code, status }: OrchdError): Sort =>
  SORTS[code] ?? (code === "BAD_ANSWER" ? SORTS_OF_STATUS[status ?? 0] : undefined) ?? "never";

/**
 * How many milliseconds to wait before the next try; null: there is none. What the service asks for is the least wait.
 * `tries` is how many have failed, `random` 0 to 1.
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
  const sort = sortOf(error);
  if (sort === "never" || tries > limits.retries) return null;
  if ((sort === "busy" && !limits.retryBusy) || (sort === "lost" && !repeatable)) return null;
  if (sort === "once" && tries > 1) return null;
  const askedMs = error.retryAfterS === null ? null : error.retryAfterS * 1000;
  if (askedMs !== null && askedMs > limits.longestWaitMs) return null;
  // Those who were told the same moment do not all come in it.
  const jitterMs = random * Math.min(limits.backoffMs, 1000);
  return (askedMs ?? limits.backoffMs * 2 ** (tries - 1)) + jitterMs;
}
