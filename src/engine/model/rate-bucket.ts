import type { RateReading } from "./rate-headers.ts";

const MINUTE_MS = 60_000;
/** Of each limit, what background calls leave to the others. */
const LEFT_ALONE = 0.25;

/**
 * One limit of a provider as it is seen from here: it fills steadily, and what is sent takes from it. What is taken by
 * calls that have not been answered yet is counted apart, because the provider's next word may not know of it.
 */
export class RateBucket {
  #limit: number;
  #level: number;
  #atMs: number;
  #perMs: number;
  #open = 0;

  constructor(reading: RateReading, nowMs: number) {
    this.#limit = reading.limit;
    this.#level = reading.remaining;
    this.#atMs = nowMs;
    this.#perMs = reading.limit / MINUTE_MS;
    this.learn(reading, nowMs);
  }

  learn({ limit, remaining, fullAtMs }: RateReading, nowMs: number): void {
    this.#limit = limit;
    this.#level = remaining;
    this.#atMs = nowMs;
    if (remaining < limit) this.#perMs = (limit - remaining) / Math.max(1, fullAtMs - nowMs);
  }

  /** Takes `wanted`, of a limit that is smaller all of it, and tells in how many ms it will be there. */
  take(wanted: number, nowMs: number): { readonly taken: number; readonly waitMs: number } {
    const taken = Math.min(wanted, this.#limit);
    const missing = taken + this.#open - this.#now(nowMs);
    this.#open += taken;
    return { taken, waitMs: missing <= 0 ? 0 : missing / this.#perMs };
  }

  /** In how many ms a call that nobody waits for could take as much and leave the others their share. */
  spareInMs(wanted: number, nowMs: number): number {
    const missing = Math.min(wanted + this.#limit * LEFT_ALONE, this.#limit) + this.#open - this.#now(nowMs);
    return missing <= 0 ? 0 : missing / this.#perMs;
  }

  /** The call is answered or over. `counted`: by the provider, in what it said since or will say. */
  settle(taken: number, { counted, nowMs }: { readonly counted: boolean; readonly nowMs: number }): void {
    this.#open -= taken;
    if (!counted) return;
    this.#level = this.#now(nowMs) - taken;
    this.#atMs = nowMs;
  }

  #now(nowMs: number): number {
    return Math.min(this.#limit, this.#level + this.#perMs * (nowMs - this.#atMs));
  }
}
