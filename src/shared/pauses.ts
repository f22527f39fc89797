const FIRST_MS = 2000;
const LONGEST_MS = 60_000;

/** Pauses after failures, each up to twice as long as the one before. They differ by chance: many engines share an endpoint. */
export class Pauses {
  readonly #random: () => number;
  #failures = 0;
  #until = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** In milliseconds of the monotonic clock, as all times here. */
  isOver(now: number): boolean {
    return now >= this.#until;
  }

  remaining(now: number): number {
    return Math.max(0, this.#until - now);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** `atLeastMs`: as the other side asked for. */
  failed(now: number, atLeastMs = 0): void {
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures++);
    const pause = (longest * (1 + this.#random())) / 2;
    this.#until = now + Math.min(Math.max(pause, atLeastMs + pause - longest / 2), LONGEST_MS);
  }
}
