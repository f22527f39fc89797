import { type Clock, delay as waitFor } from "../../kit/clock.ts";
import type { ModelFailure, ModelPart, ModelProvider } from "./model-provider.ts";
import { RateGate } from "./rate-gate.ts";
import { retryVerdict } from "./retry-rule.ts";

export interface RetryParts {
  /** False when the signal came first. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<boolean>;
  readonly random?: () => number;
  readonly clock?: Clock;
}

type Failed = Extract<ModelPart, { kind: "failed" }>;

/** Tries again what failed before its first part: once something has been told, a second try would tell it twice. */
export function retryingProvider(
  inner: ModelProvider,
  { delay = waitFor, random = Math.random, clock = Date.now }: RetryParts = {},
): ModelProvider {
  const gate = new RateGate();
  return {
    name: inner.name,
    async *stream(request, signal) {
      let waitedMs = 0;
      for (let tries = 1; ; tries++) {
        const closedMs = gate.waitMs(request.model, clock());
        const failed = closedMs > 0 ? limited(inner.name, closedMs) : yield* tell(inner.stream(request, signal));
        if (failed === null) return;
        const verdict = retryVerdict(failed.failure, { tries, waitedMs, random: random() });
        if (verdict.kind === "give_up") {
          yield { ...failed, failure: verdict.failure };
          return;
        }
        if (closedMs === 0) closeGate(gate, { model: request.model, failure: failed.failure, now: clock() });
        waitedMs += verdict.ms;
        if (!(await delay(verdict.ms, signal))) {
          yield { kind: "failed", failure: { kind: "aborted" }, usage: null };
          return;
        }
      }
    },
  };
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
  gate: RateGate,
  { model, failure, now }: { readonly model: string; readonly failure: ModelFailure; readonly now: number },
): void {
  if (failure.kind === "rate_limited" && failure.retryAfterS !== null)
    gate.close(model, now + failure.retryAfterS * 1000);
}

/** Hands the parts on; returns the failure that came before any of them. */
async function* tell(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart, Failed | null> {
  let told = false;
  for await (const part of parts) {
    if (part.kind === "failed" && !told) return part;
    told = true;
    yield part;
  }
  return null;
}
