/**
 * The time of one call, as a signal. What it waits for a person is not counted. Signs of life give it its time anew
 * where `prolonged` says so, up to `maxMs` in all.
 */
export class CallDeadline {
  readonly #abort = new AbortController();
  readonly #ms: number;
  readonly #prolonged: boolean;
  #leftInAll: number;
  #left: number;
  #since = performance.now();
  #waitingFor = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ ms, maxMs, prolonged }: { readonly ms: number; readonly maxMs: number; readonly prolonged: boolean }) {
    this.#ms = ms;
    this.#prolonged = prolonged;
    this.#left = ms;
    this.#leftInAll = prolonged ? Math.max(ms, maxMs) : ms;
    this.#run();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  signOfLife(): void {
    if (!this.#prolonged || this.#waitingFor > 0 || this.signal.aborted) return;
    this.#stop();
    this.#left = this.#ms;
    this.#run();
  }

  /** The clock stands still until the answer is there. */
  async whileAsking<T>(answer: Promise<T>): Promise<T> {
    if (this.#waitingFor++ === 0) this.#stop();
    try {
      return await answer;
    } finally {
      if (--this.#waitingFor === 0) this.#run();
    }
  }

  end(): void {
    this.#waitingFor = Infinity;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#since = performance.now();
    const ms = Math.max(0, Math.min(this.#left, this.#leftInAll));
    this.#timer = setTimeout(() => this.#abort.abort(new DOMException("the call took too long", "TimeoutError")), ms);
    this.#timer.unref();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    const used = performance.now() - this.#since;
    this.#left -= used;
    this.#leftInAll -= used;
  }
}
