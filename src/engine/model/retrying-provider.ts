import { type Clock, delay as waitFor } from "../../shared/clock.ts";
import type { ModelPart, ModelProvider, ModelRequest } from "./model-provider.ts";
import type { ModelStatus } from "./model-status.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { RETRY_RULE, retryVerdict } from "./retry-rule.ts";

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

/** Waits for the limiter, and retries a call that failed before its first part: later parts would be sent twice. */
export function retryingProvider(
  inner: ModelProvider,
  {
    limiter = new RateLimiter(),
    delay = waitFor,
    random = Math.random,
    clock = Date.now,
    report = () => undefined,
  }: RetryOptions = {},
): ModelProvider {
  const attempt = async function* (
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart, Failed | null> {
    const failed = yield* forward(inner.stream(request, signal), request, report);
    if (failed?.failure.kind === "rate_limited" && failed.failure.retryAfterS !== null)
      limiter.close(request.model, clock() + Math.min(failed.failure.retryAfterS * 1000, MAX_CLOSED_MS));
    return failed;
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
      for (let tries = 1; ; tries++) {
        const now = clock();
        const closedMs = isBackground
          ? limiter.closedToBackgroundMs(request.model, now)
          : limiter.closedForMs(request.model, now);
        const isSent = closedMs === 0;
        const failed = isSent ? yield* attempt(request, signal) : rateLimited(inner.name, closedMs);
        if (failed === null) return;
        const verdict = retryVerdict(failed.failure, { tries, waitedMs, random: random() });
        if (verdict.kind === "give_up") {
          // A call that was not sent says nothing about the provider's health.
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

/** Forwards the parts; returns a failure that came before any of them. */
async function* forward(
  parts: AsyncIterable<ModelPart>,
  request: ModelRequest,
  report: ModelStatus["report"],
): AsyncGenerator<ModelPart, Failed | null> {
  let isFirst = true;
  for await (const part of parts) {
    if (part.kind === "failed" && isFirst) return part;
    if (part.kind === "failed") report({ kind: "failed", request, failure: part.failure });
    else if (isFirst) report({ kind: "answered", request });
    isFirst = false;
    yield part;
  }
  return null;
}
