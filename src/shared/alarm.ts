import { delay } from "./clock.ts";

/** Waits for a while, or for `ring`. */
export class Alarm {
  #rung = new AbortController();

  /** Ends the wait in progress, or the next one. */
  ring(): void {
    this.#rung.abort();
  }

  /** Resolves after `ms`, when it is rung, or when the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await delay(ms, AbortSignal.any([signal, this.#rung.signal]));
    if (this.#rung.signal.aborted) this.#rung = new AbortController();
  }
}
