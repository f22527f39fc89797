const TICK_MS = 100;
const STALL_MS = 500;

/**
 * Detects that this process was stalled (busy, stopped, or its machine paused) or that the clock was set. A timeout that
 * was measured across a stall proves nothing.
 */
export class StallWatch {
  readonly #timer: NodeJS.Timeout;
  #tickedAt = performance.now();
  #wallAhead = Date.now() - performance.now();
  #stalledAt = Number.NEGATIVE_INFINITY;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Whether a stall was detected after `mark`, a time of `performance.now()`. */
  since(mark: number): boolean {
    // The tick that detects it may itself be late.
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
