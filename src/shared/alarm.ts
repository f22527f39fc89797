import { type Clock, delay } from "./clock.ts";

/** The longest wait before the wall clock is read again, since it may jump. */
const READ_CLOCK_MS = 10_000;

/** Waits for a time of the wall clock, or for `ring`. */
export class Alarm {
  readonly #now: Clock;
  #rung = new AbortController();

  constructor(now: Clock) {
    this.#now = now;
  }

  /** Ends the wait in progress, or the next one. */
  ring(): void {
    this.#rung.abort();
  }

  /** Resolves at `at`, in milliseconds since the epoch, when it is rung, or when the signal is aborted. */
  async wait(at: number, signal: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([signal, this.#rung.signal]);
    while (!ended.aborted && this.#now() < at) await delay(Math.min(at - this.#now(), READ_CLOCK_MS), ended);
    if (this.#rung.signal.aborted) this.#rung = new AbortController();
  }
}
