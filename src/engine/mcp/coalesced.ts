import { type Clock, delay } from "../../shared/clock.ts";

/** Work that is asked for more often than it is worth doing: one run at a time, at most one more to come, so far apart. */
export class Coalesced {
  readonly #work: () => Promise<void>;
  readonly #everyMs: number;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  #wanted = false;
  #running = false;
  #beganAt = Number.NEGATIVE_INFINITY;

  /** `work` never rejects. Nothing is begun once the signal has aborted. */
  constructor(
    work: () => Promise<void>,
    { everyMs, signal, clock = Date.now }: { everyMs: number; signal: AbortSignal; clock?: Clock },
  ) {
    this.#work = work;
    this.#everyMs = everyMs;
    this.#signal = signal;
    this.#clock = clock;
  }

  ask(): void {
    this.#wanted = true;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#wanted && !this.#signal.aborted) {
      const earlyMs = this.#beganAt + this.#everyMs - this.#clock();
      if (earlyMs > 0 && !(await delay(earlyMs, this.#signal))) break;
      // What is asked for from here on may not be in what this run sees.
      this.#wanted = false;
      this.#beganAt = this.#clock();
      await this.#work();
    }
    this.#running = false;
  }
}
