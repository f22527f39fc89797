import type { ModelRequest } from "./model-provider.ts";

/** How long a background call waits before it checks again for waiting interactive calls. */
const BACKGROUND_RECHECK_MS = 1000;

/**
 * The one rate limiter of an engine, shared by turns, sub-agents, compaction and learning. A model stays
 * closed until the retry-after of its last 429; background calls also yield to interactive calls that wait.
 */
export class RateLimiter {
  readonly #closedUntil = new Map<string, number>();
  readonly #waiting = new Map<string, number>();

  /** Closes the model until that time, in milliseconds of the monotonic clock; never opens it earlier. */
  close(model: string, untilMs: number): void {
    this.#closedUntil.set(model, Math.max(untilMs, this.#closedUntil.get(model) ?? 0));
  }

  closedForMs(model: string, nowMs: number): number {
    return Math.max(0, (this.#closedUntil.get(model) ?? 0) - nowMs);
  }

  /** The same for a background call: at least one recheck interval while interactive calls wait. */
  closedToBackgroundMs(model: string, nowMs: number): number {
    const isContended = (this.#waiting.get(model) ?? 0) > 0;
    return Math.max(this.closedForMs(model, nowMs), isContended ? BACKGROUND_RECHECK_MS : 0);
  }

  /** Runs a wait of a call; background calls do not count, so that they do not wait for each other. */
  async waiting<T>({ model, priority }: ModelRequest, wait: () => Promise<T>): Promise<T> {
    const count = priority === "background" ? 0 : 1;
    this.#waiting.set(model, (this.#waiting.get(model) ?? 0) + count);
    try {
      return await wait();
    } finally {
      this.#waiting.set(model, (this.#waiting.get(model) ?? 0) - count);
    }
  }
}
