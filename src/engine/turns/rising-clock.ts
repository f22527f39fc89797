/**
 * The engine's clock for events: milliseconds that strictly rise, whatever the machine's clock does, so that a time
 * is an exact cursor. Above a thousand draws a second it runs ahead and falls back by itself.
 */
export class RisingClock {
  readonly #now: () => number;
  #last: number;

  constructor(last: number, now: () => number = Date.now) {
    this.#last = last;
    this.#now = now;
  }

  draw(): number {
    this.#last = Math.max(this.#now(), this.#last + 1);
    return this.#last;
  }
}
