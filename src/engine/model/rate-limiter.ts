import type { ModelRequest, ModelUsage } from "./model-provider.ts";
import { RateBucket } from "./rate-bucket.ts";
import { RateGate } from "./rate-gate.ts";
import { type Headers, type RateKind, rateReadings } from "./rate-headers.ts";
import { requestTokens } from "./token-estimate.ts";

interface Limits {
  readonly buckets: Map<RateKind, RateBucket>;
  /** What a call really had of what was estimated, cache hits left out where the provider leaves them out. */
  charged: number;
  cacheIsFree: boolean;
}

type Taken = readonly { readonly bucket: RateBucket; readonly taken: number }[];

/**
 * The one limiter of an engine: turns, sub-agents, compaction and learning all ask here before they ask the provider.
 * It knows no numbers of its own; it learns them from what the provider says of its limits with each answer.
 */
export class RateLimiter {
  readonly gate = new RateGate();
  readonly #limits = new Map<string, Limits>();
  readonly #open = new Map<ModelRequest, Taken>();

  /** Takes what the call will need; it may be made in so many ms. To be followed by `over`, whatever becomes of it. */
  reserve(request: ModelRequest, nowMs: number): number {
    const limits = this.#limits.get(request.model);
    if (limits === undefined || limits.buckets.size === 0) return 0;
    const needed = lazily(() => Math.ceil(requestTokens(request) * limits.charged));
    const need: Readonly<Record<RateKind, () => number>> = {
      requests: () => 1,
      tokens: needed,
      input: needed,
      output: () => 1,
    };
    const taken = [...limits.buckets].map(([kind, bucket]) => ({ bucket, ...bucket.take(need[kind](), nowMs) }));
    this.#open.set(request, taken);
    return Math.max(...taken.map(({ waitMs }) => waitMs));
  }

  /** The provider answered the call: what it says of its limits includes it. */
  heard(request: ModelRequest, headers: Headers, nowMs: number): void {
    const readings = rateReadings(headers, nowMs);
    if (readings.length === 0) return;
    const limits = this.#limitsOf(request.model);
    limits.cacheIsFree = readings.some(({ kind }) => kind === "input");
    this.#settle(request, { counted: false, nowMs });
    for (const reading of readings) {
      const bucket = limits.buckets.get(reading.kind);
      if (bucket === undefined) limits.buckets.set(reading.kind, new RateBucket(reading, nowMs));
      else bucket.learn(reading, nowMs);
    }
  }

  used(request: ModelRequest, usage: ModelUsage): void {
    const limits = this.#limits.get(request.model);
    if (limits === undefined) return;
    const charged = usage.inputTokens - (limits.cacheIsFree ? usage.cacheHitTokens : 0);
    limits.charged = Math.max(0, charged) / Math.max(1, requestTokens(request));
  }

  /** The call is over. One that was made without an answer was counted by the provider all the same. */
  over(request: ModelRequest, { made, nowMs }: { readonly made: boolean; readonly nowMs: number }): void {
    this.#settle(request, { counted: made, nowMs });
  }

  #settle(request: ModelRequest, how: { readonly counted: boolean; readonly nowMs: number }): void {
    for (const { bucket, taken } of this.#open.get(request) ?? []) bucket.settle(taken, how);
    this.#open.delete(request);
  }

  #limitsOf(model: string): Limits {
    const limits = this.#limits.get(model) ?? { buckets: new Map(), charged: 1, cacheIsFree: false };
    this.#limits.set(model, limits);
    return limits;
  }
}

function lazily<T>(compute: () => T): () => T {
  let value: { readonly it: T } | undefined;
  return () => (value ??= { it: compute() }).it;
}
