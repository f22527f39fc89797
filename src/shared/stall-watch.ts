const TICK_MS = 100;
const STALL_MS = 500;

/**
 * Notices when this process did not run for a while, be it busy, stopped or on a machine that was paused, or when
 * the clock was set: what was timed across such a moment tells nothing about others.
 */
export class StallWatch {
  readonly #timer: NodeJS.Timeout;
  #tickedAt = performance.now();
  #wallAhead = Date.now() - performance.now();
  #stalledAt = Number.NEGATIVE_INFINITY;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Whether that happened after `mark`, a time of `performance.now()`. */
  since(mark: number): boolean {
    // The tick that would notice may itself be late.
    this.#tick();
    return this.#stalledAt >= mark;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    const wallAhead = Date.now() - now;
    if (now - this.#tickedAt > TICK_MS + STALL_MS || Math.abs(wallAhead - this.#wallAhead) > STALL_MS) {
      this.#stalledAt = now;
    }
    this.#tickedAt = now;
    this.#wallAhead = wallAhead;
  }
}
