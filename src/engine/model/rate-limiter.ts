import type { ModelRequest, ModelUsage } from "./model-provider.ts";
import { RateBucket } from "./rate-bucket.ts";
import { RateGate } from "./rate-gate.ts";
import { type Headers, type RateKind, rateReadings } from "./rate-headers.ts";
import { requestTokens } from "./token-estimate.ts";
import { WaitingCalls } from "./waiting-calls.ts";

/** How long a background call waits before it looks again whether others still do. */
const LOOK_AGAIN_MS = 1000;

interface Limits {
  readonly buckets: Map<RateKind, RateBucket>;
  /** What a call really had of what was estimated, cache hits left out where the provider leaves them out. */
  charged: number;
  cacheIsFree: boolean;
}

interface Need {
  readonly bucket: RateBucket;
  readonly wanted: number;
}

type Taken = readonly { readonly bucket: RateBucket; readonly taken: number }[];

/**
 * The one limiter of an engine: turns, sub-agents, compaction and learning all ask here before they ask the provider.
 * It knows no numbers of its own; it learns them from what the provider says of its limits with each answer.
 */
export class RateLimiter {
  readonly gate = new RateGate();
  readonly waiting = new WaitingCalls();
  readonly #limits = new Map<string, Limits>();
  readonly #open = new Map<ModelRequest, Taken>();

  /** Takes what the call will need; it may be made in so many ms. To be followed by `over`, whatever becomes of it. */
  reserve(request: ModelRequest, nowMs: number): number {
    const taken = this.#needs(request).map(({ bucket, wanted }) => ({ bucket, ...bucket.take(wanted, nowMs) }));
    this.#open.set(request, taken);
    return Math.max(0, ...taken.map(({ waitMs }) => waitMs));
  }

  /** The same for a background call, which takes nothing before it may be made: it is to ask again in so many ms. */
  reserveSpare(request: ModelRequest, nowMs: number): number {
    const inMs = this.#spareInMs(request.model, this.#needs(request), nowMs);
    return inMs > 0 ? inMs : this.reserve(request, nowMs);
  }

  /** For how long no background call should be made, however small; 0 when one may. */
  closedForMs(model: string, nowMs: number): number {
    const least = [...this.#bucketsOf(model).values()].map((bucket) => ({ bucket, wanted: 1 }));
    return Math.max(this.gate.waitMs(model, nowMs), this.#spareInMs(model, least, nowMs));
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

  #needs(request: ModelRequest): readonly Need[] {
    const charged = this.#limits.get(request.model)?.charged ?? 1;
    const tokens = lazily(() => Math.ceil(requestTokens(request) * charged));
    const wanted: Readonly<Record<RateKind, () => number>> = {
      requests: () => 1,
      tokens,
      input: tokens,
      output: () => 1,
    };
    return [...this.#bucketsOf(request.model)].map(([kind, bucket]) => ({ bucket, wanted: wanted[kind]() }));
  }

  #spareInMs(model: string, needs: readonly Need[], nowMs: number): number {
    const waitMs = Math.max(0, ...needs.map(({ bucket, wanted }) => bucket.spareInMs(wanted, nowMs)));
    return this.waiting.has(model) ? Math.max(waitMs, LOOK_AGAIN_MS) : waitMs;
  }

  #bucketsOf(model: string): ReadonlyMap<RateKind, RateBucket> {
    return this.#limits.get(model)?.buckets ?? new Map<RateKind, RateBucket>();
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
