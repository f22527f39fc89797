/** Ends a wait that nobody answers: its signal is aborted when the deadline passes, or with the signal it is made from. */
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

  /** From now on so long; a deadline set before counts no more. */
  within(ms: number): void {
    if (ms === this.#ms) {
      this.#timer?.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#abort.abort(new Error(`nothing came for ${ms} ms`));
    }, ms).unref();
  }

  /** Nothing is waited for any more: what still runs is called off, the socket with it. */
  end(): void {
    clearTimeout(this.#timer);
    this.#abort.abort(new Error("the call is over"));
  }
}
