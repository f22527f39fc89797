const FIRST_MS = 2000;
const LONGEST_MS = 60_000;

/** Pauses after failures, each twice as long as the one before. */
export class Pauses {
  #failures = 0;
  #until = 0;

  /** In milliseconds of the monotonic clock, as all times here. */
  isOver(now: number): boolean {
    return now >= this.#until;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** `atLeastMs`: as the other side asked for. */
  failed(now: number, atLeastMs = 0): void {
    const pause = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures++);
    this.#until = now + Math.min(Math.max(pause, atLeastMs), LONGEST_MS);
  }
}
