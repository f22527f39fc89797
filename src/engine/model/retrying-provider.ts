import { type Clock, delay as waitFor } from "../../shared/clock.ts";
import type { ModelFailure, ModelPart, ModelProvider, ModelRequest } from "./model-provider.ts";
import type { ModelStatus } from "./model-status.ts";
import { RateLimiter } from "./rate-limiter.ts";

export interface RetryOptions {
  readonly limiter?: RateLimiter;
  /** Resolves to false if the signal aborts first. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<boolean>;
  readonly random?: () => number;
  readonly clock?: Clock;
  readonly report?: ModelStatus["report"];
}

/** Caps a retry-after of hours: the provider is called again after this time. */
const MAX_CLOSED_MS = 600_000;

type Failed = Extract<ModelPart, { kind: "failed" }>;
const ABORTED: Failed = { kind: "failed", failure: { kind: "aborted" }, usage: null };

interface RetryRule {
  readonly maxTries: number;
  readonly firstDelayMs: number;
  readonly jitterMs: number;
  readonly longestWaitMs: number;
}

const RETRY_RULE: RetryRule = { maxTries: 5, firstDelayMs: 1000, jitterMs: 1000, longestWaitMs: 60_000 };
/** While another model can answer: one more try, for a failure that lasts a moment. */
const BEFORE_FALLBACK: RetryRule = { maxTries: 2, firstDelayMs: 1000, jitterMs: 500, longestWaitMs: 2000 };

type RetryVerdict =
  | { readonly kind: "wait"; readonly ms: number }
  /** The failure to report to the client. */
  | { readonly kind: "give_up"; readonly failure: ModelFailure };

/** An answer that was cut is asked for again so often, and no more once this time of answers was lost. */
const MAX_RESTARTS = 8;
const MAX_LOST_MS = 120_000;
const RESTART_MS = { first: 200, longest: 1000 } as const;

/**
 * Waits for the limiter, and retries a call that failed before its first part. One that was cut later, such as by the end
 * of the broker, begins again by a `restart`.
 */
export function retryingProvider(
  inner: ModelProvider,
  {
    limiter = new RateLimiter(),
    delay = waitFor,
    random = Math.random,
    clock = () => performance.now(),
    report = () => undefined,
  }: RetryOptions = {},
): ModelProvider {
  const attempt = async function* (request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, Attempt> {
    const attempted = yield* forward(inner.stream(request, signal), request, report);
    const { failed } = attempted;
    if (failed?.failure.kind === "rate_limited" && failed.failure.retryAfterS !== null)
      limiter.close(request.model, clock() + Math.min(failed.failure.retryAfterS * 1000, MAX_CLOSED_MS));
    return attempted;
  };
  /** Polls until the limiter admits the background call or the time is used up; returns the ms waited. */
  const yieldToInteractive = async ({ model }: ModelRequest, signal: AbortSignal): Promise<number> => {
    for (let waitedMs = 0; ;) {
      const waitMs = limiter.closedToBackgroundMs(model, clock());
      if (waitMs === 0 || waitedMs + waitMs > RETRY_RULE.longestWaitMs || !(await delay(waitMs, signal)))
        return waitedMs;
      waitedMs += waitMs;
    }
  };
  return {
    name: inner.name,
    async *stream(request, signal) {
      const isBackground = request.priority === "background";
      let waitedMs = isBackground ? await yieldToInteractive(request, signal) : 0;
      let [restarts, lostMs] = [0, 0];
      for (let tries = 1; ; tries++) {
        const now = clock();
        const closedMs = isBackground
          ? limiter.closedToBackgroundMs(request.model, now)
          : limiter.closedForMs(request.model, now);
        const isSent = closedMs === 0;
        const { failed, hasBegun } = isSent
          ? yield* attempt(request, signal)
          : { failed: rateLimited(inner.name, closedMs), hasBegun: false };
        if (failed === null) return;
        if (hasBegun) {
          const { failure, usage } = failed;
          lostMs += clock() - now;
          const isOver = restarts === MAX_RESTARTS || lostMs > MAX_LOST_MS || !isCut(failure);
          const waitMs = Math.min(RESTART_MS.first * 2 ** restarts++, RESTART_MS.longest) * (1 + random());
          if (!isOver) report({ kind: "retrying", request, failure, tries: restarts, waitMs });
          if (isOver || !(await delay(waitMs, signal))) {
            report({ kind: "failed", request, failure: isOver ? failure : ABORTED.failure });
            yield isOver ? failed : { ...ABORTED, usage };
            return;
          }
          yield { kind: "restart", usage };
          tries--;
          continue;
        }
        const rule = request.hasFallback === true ? BEFORE_FALLBACK : RETRY_RULE;
        const verdict = retryVerdict(failed.failure, { tries, waitedMs, random: random() }, rule);
        if (verdict.kind === "give_up") {
          // A call that was not sent must not change the provider's health.
          if (isSent) report({ kind: "failed", request, failure: verdict.failure });
          yield { ...failed, failure: verdict.failure };
          return;
        }
        waitedMs += verdict.ms;
        if (isSent) report({ kind: "retrying", request, failure: failed.failure, tries, waitMs: verdict.ms });
        if (!(await limiter.waiting(request, () => delay(verdict.ms, signal)))) {
          report({ kind: "failed", request, failure: ABORTED.failure });
          yield ABORTED;
          return;
        }
      }
    },
  };
}

/** The failure of a call that is not sent because another call was rate-limited. */
const rateLimited = (name: string, closedMs: number): Failed => ({
  kind: "failed",
  failure: {
    kind: "rate_limited",
    message: `${name} limits the rate of requests`,
    retryAfterS: Math.ceil(closedMs / 1000),
  },
  usage: null,
});

interface Attempt {
  /** Null for an answer. */
  readonly failed: Failed | null;
  /** Whether it failed after its first part. */
  readonly hasBegun: boolean;
}

/** A provider that says when to come back is not asked again within an answer, nor is one that has stalled. */
const isCut = (failure: ModelFailure): boolean =>
  failure.kind === "transient" && failure.isTimeout !== true && failure.retryAfterS === null;

/** Forwards the parts but for a failure. */
async function* forward(
  parts: AsyncIterable<ModelPart>,
  request: ModelRequest,
  report: ModelStatus["report"],
): AsyncGenerator<ModelPart, Attempt> {
  let isFirst = true;
  for await (const part of parts) {
    if (part.kind === "failed") return { failed: part, hasBegun: !isFirst };
    if (isFirst) report({ kind: "answered", request });
    isFirst = false;
    yield part;
  }
  return { failed: null, hasBegun: !isFirst };
}

/**
 * Whether and when to retry. A provider's retry-after is the minimum wait; above `longestWaitMs` it is reported to the
 * client at once. `random` is 0 to 1.
 */
export function retryVerdict(
  failure: ModelFailure,
  { tries, waitedMs, random }: { readonly tries: number; readonly waitedMs: number; readonly random: number },
  rule: RetryRule = RETRY_RULE,
): RetryVerdict {
  if (failure.kind !== "rate_limited" && failure.kind !== "transient") return { kind: "give_up", failure };
  const { message, retryAfterS } = failure;
  const { maxTries, firstDelayMs, jitterMs, longestWaitMs } = rule;
  const isTimeout = failure.kind === "transient" && failure.isTimeout === true;
  if (rule === BEFORE_FALLBACK && (isTimeout || (retryAfterS ?? 0) * 1000 > longestWaitMs))
    return { kind: "give_up", failure };
  const retryAfterMs = (retryAfterS ?? 0) * 1000;
  if (retryAfterMs > longestWaitMs) return { kind: "give_up", failure: { kind: "rate_limited", message, retryAfterS } };
  const minMs = Math.max(firstDelayMs * 2 ** (tries - 1), retryAfterMs);
  const leftMs = longestWaitMs - waitedMs;
  if (tries >= maxTries || minMs > leftMs) return { kind: "give_up", failure };
  // Jitter spreads calls that wait for the same moment.
  return { kind: "wait", ms: Math.min(minMs + random * jitterMs, leftMs) };
}
