/**
 * Deadline of one call, as a signal. Waiting for a person does not count. With `prolonged`, progress restarts the
 * timeout, up to `maxMs` in total.
 */
export class CallDeadline {
  readonly #abort = new AbortController();
  readonly #ms: number;
  readonly #prolonged: boolean;
  #totalLeft: number;
  #left: number;
  #since = performance.now();
  #openQuestions = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ ms, maxMs, prolonged }: { readonly ms: number; readonly maxMs: number; readonly prolonged: boolean }) {
    this.#ms = ms;
    this.#prolonged = prolonged;
    this.#left = ms;
    this.#totalLeft = prolonged ? Math.max(ms, maxMs) : ms;
    this.#run();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  progress(): void {
    if (!this.#prolonged || this.#openQuestions > 0 || this.signal.aborted) return;
    this.#stop();
    this.#left = this.#ms;
    this.#run();
  }

  /** Pauses the timer until the answer settles. */
  async whileAsking<T>(answer: Promise<T>): Promise<T> {
    if (this.#openQuestions++ === 0) this.#stop();
    try {
      return await answer;
    } finally {
      if (--this.#openQuestions === 0) this.#run();
    }
  }

  end(): void {
    this.#openQuestions = Infinity;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#since = performance.now();
    const ms = Math.max(0, Math.min(this.#left, this.#totalLeft));
    this.#timer = setTimeout(() => this.#abort.abort(new DOMException("the call timed out", "TimeoutError")), ms);
    this.#timer.unref();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    const used = performance.now() - this.#since;
    this.#left -= used;
    this.#totalLeft -= used;
  }
}
