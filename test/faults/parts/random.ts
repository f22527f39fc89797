/** Random numbers that come again with their seed (mulberry32). */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed = Number(process.env["ORCHD_SEED"] ?? Math.floor(Math.random() * 2 ** 31))) {
    this.seed = seed;
    this.#state = seed;
  }

  /** 0 to 1, 1 excluded. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  }
}
