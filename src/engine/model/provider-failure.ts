import type { ModelFailure } from "./model-provider.ts";

/** As the provider packages throw it; read by shape, for the class may come from another bundle. */
interface CallError {
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly responseBody?: unknown;
}

const TOO_LONG =
  /context.{0,20}(length|window)|prompt is too long|maximum context|too many (input )?tokens|input.{0,20}too long/i;
const TRANSIENT_STATUS: readonly number[] = [408, 409, 425, 500, 502, 503, 504, 529];

/**
 * What a provider's failure means for the turn. The words are ours: what the provider wrote may quote the key or the
 * conversation, and belongs into no event and no log.
 */
export function failureOf(
  error: unknown,
  { provider, now }: { readonly provider: string; readonly now: number },
): ModelFailure {
  const { statusCode, responseHeaders, responseBody } = (
    typeof error === "object" && error !== null ? error : {}
  ) as CallError;
  const status = typeof statusCode === "number" ? statusCode : null;
  const retryAfterS = retryAfter(responseHeaders, now);
  const body = typeof responseBody === "string" ? responseBody : wordsOf(error);
  if (status === 429) return { kind: "rate_limited", message: `${provider} limits the rate of requests`, retryAfterS };
  if (TOO_LONG.test(body) && (status === null || (status >= 400 && status < 500))) {
    return { kind: "too_long", message: `the conversation does not fit the model's context (${provider})` };
  }
  if (status === null)
    return { kind: "transient", message: `the connection to ${provider} failed`, status, retryAfterS };
  if (TRANSIENT_STATUS.includes(status) || status >= 500) {
    return { kind: "transient", message: `${provider} answered ${status}`, status, retryAfterS };
  }
  const why =
    status === 401 || status === 403
      ? ": the key was refused"
      : status === 404
        ? ": the model or the address is unknown"
        : "";
  return { kind: "permanent", message: `${provider} answered ${status}${why}`, status };
}

/** A failure that came as an event inside a stream, where there is no status but a type. */
export function streamedFailureOf(
  error: unknown,
  { provider, now }: { readonly provider: string; readonly now: number },
): ModelFailure {
  const words = wordsOf(error);
  if (/rate.?limit|quota|too many requests/i.test(words)) {
    return { kind: "rate_limited", message: `${provider} limits the rate of requests`, retryAfterS: null };
  }
  const known = failureOf(error, { provider, now });
  if (known.kind === "transient" && known.status === null)
    return { ...known, message: `${provider} broke off its answer` };
  return known;
}

/** Seconds, from a number or an HTTP date. */
function retryAfter(headers: unknown, now: number): number | null {
  const value =
    typeof headers === "object" && headers !== null ? (headers as Record<string, unknown>)["retry-after"] : undefined;
  if (typeof value !== "string" || value === "") return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

function wordsOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return JSON.stringify(error) ?? "";
  } catch {
    return "";
  }
}
