import { type Clock, delay as waitFor } from "../../shared/clock.ts";
import type { ModelFailure, ModelPart, ModelProvider, ModelRequest } from "./model-provider.ts";
import type { ModelStatus } from "./model-status.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { RETRY_RULE, retryVerdict } from "./retry-rule.ts";

export interface RetryParts {
  readonly limiter?: RateLimiter;
  /** False when the signal came first. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<boolean>;
  readonly random?: () => number;
  readonly clock?: Clock;
  readonly report?: ModelStatus["report"];
}

/** A provider that says to come back tomorrow is asked again before that. */
const LONGEST_CLOSED_MS = 600_000;

type Failed = Extract<ModelPart, { kind: "failed" }>;
const ABORTED: Failed = { kind: "failed", failure: { kind: "aborted" }, usage: null };

/**
 * Waits its turn at the limiter, and tries again what failed before its first part: once something has been told, a
 * second try would tell it twice.
 */
export function retryingProvider(
  inner: ModelProvider,
  {
    limiter = new RateLimiter(),
    delay = waitFor,
    random = Math.random,
    clock = Date.now,
    report = () => undefined,
  }: RetryParts = {},
): ModelProvider {
  const wait = (request: ModelRequest, ms: number, signal: AbortSignal) =>
    limiter.waiting.during(request, () => delay(ms, signal));
  /** Until the limiter lets the call be made; else why it will not be. */
  const queue = async (request: ModelRequest, signal: AbortSignal, leftMs: number): Promise<Queued> => {
    const closedMs = limiter.gate.waitMs(request.model, clock());
    if (closedMs > 0) return { failed: limited(inner.name, closedMs), waitedMs: 0 };
    const waitMs = limiter.reserve(request, clock());
    if (waitMs > leftMs) return { failed: limited(inner.name, waitMs), waitedMs: 0 };
    if (waitMs > 0 && !(await wait(request, waitMs, signal))) return { failed: ABORTED, waitedMs: waitMs };
    // Another call may have been refused meanwhile.
    const closedNowMs = limiter.gate.waitMs(request.model, clock());
    return { failed: closedNowMs > 0 ? limited(inner.name, closedNowMs) : null, waitedMs: waitMs };
  };
  /** The same for a call that lets others go first: there may be more of them each time it looks. */
  const queueBehind = async (request: ModelRequest, signal: AbortSignal, leftMs: number): Promise<Queued> => {
    for (let waitedMs = 0; ;) {
      const closedMs = limiter.gate.waitMs(request.model, clock());
      const waitMs = closedMs > 0 ? 0 : limiter.reserveSpare(request, clock());
      if (closedMs > 0 || waitedMs + waitMs > leftMs)
        return { failed: limited(inner.name, Math.max(closedMs, waitMs)), waitedMs };
      if (waitMs === 0) return { failed: null, waitedMs };
      waitedMs += waitMs;
      if (!(await delay(waitMs, signal))) return { failed: ABORTED, waitedMs };
    }
  };
  return {
    name: inner.name,
    async *stream(request, signal) {
      const enqueue = request.priority === "background" ? queueBehind : queue;
      let waitedMs = 0;
      for (let tries = 1; ; tries++) {
        let made = false;
        let failed: Failed | null;
        try {
          const queued = await enqueue(request, signal, RETRY_RULE.longestWaitMs - waitedMs);
          waitedMs += queued.waitedMs;
          made = queued.failed === null;
          failed = queued.failed ?? (yield* tell(inner.stream(request, signal), { limiter, request, report }));
        } finally {
          limiter.over(request, { made, nowMs: clock() });
        }
        if (failed === null) return;
        if (made) closeGate(limiter, { request, failure: failed.failure, now: clock() });
        const verdict = retryVerdict(failed.failure, { tries, waitedMs, random: random() });
        if (verdict.kind === "give_up") {
          // What was not sent says nothing of the provider.
          if (made) report({ kind: "failed", request, failure: verdict.failure });
          yield { ...failed, failure: verdict.failure };
          return;
        }
        waitedMs += verdict.ms;
        if (made) report({ kind: "retrying", request, failure: failed.failure, tries, waitMs: verdict.ms });
        if (!(await wait(request, verdict.ms, signal))) {
          report({ kind: "failed", request, failure: ABORTED.failure });
          yield ABORTED;
          return;
        }
      }
    },
  };
}

interface Queued {
  readonly failed: Failed | null;
  readonly waitedMs: number;
}

/** What the provider told another call holds for this one too: it is not asked just to hear it again. */
const limited = (name: string, closedMs: number): Failed => ({
  kind: "failed",
  failure: {
    kind: "rate_limited",
    message: `${name} limits the rate of requests`,
    retryAfterS: Math.ceil(closedMs / 1000),
  },
  usage: null,
});

function closeGate(
  { gate }: RateLimiter,
  { request, failure, now }: { readonly request: ModelRequest; readonly failure: ModelFailure; readonly now: number },
): void {
  if (failure.kind === "rate_limited" && failure.retryAfterS !== null)
    gate.close(request.model, now + Math.min(failure.retryAfterS * 1000, LONGEST_CLOSED_MS));
}

/** Hands the parts on; returns the failure that came before any of them. */
async function* tell(
  parts: AsyncIterable<ModelPart>,
  {
    limiter,
    request,
    report,
  }: { readonly limiter: RateLimiter; readonly request: ModelRequest; readonly report: ModelStatus["report"] },
): AsyncGenerator<ModelPart, Failed | null> {
  let told = false;
  for await (const part of parts) {
    if (part.kind === "failed" && !told) return part;
    if (part.kind === "done") limiter.used(request, part.usage);
    if (part.kind === "failed") report({ kind: "failed", request, failure: part.failure });
    else if (!told) report({ kind: "answered", request });
    told = true;
    yield part;
  }
  return null;
}
