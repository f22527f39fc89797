/** Idle timeout: its signal aborts when the deadline passes, or with the outer signal. */
export class Watchdog {
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #ms = 0;
  #expired = false;

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#abort.signal]);
  }

  get expired(): boolean {
    return this.#expired;
  }

  /** Restarts the deadline. */
  within(ms: number): void {
    if (ms === this.#ms) {
      this.#timer?.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#abort.abort(new Error(`no data for ${ms} ms`));
    }, ms).unref();
  }

  /** Ends the watch and aborts what still runs, including the socket. */
  end(): void {
    clearTimeout(this.#timer);
    this.#abort.abort(new Error("the call has ended"));
  }
}
