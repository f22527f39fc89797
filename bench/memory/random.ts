/** Chance that repeats: the same seed draws the same numbers on every machine. */
export class Random {
  #state: number;

  constructor(seed: string) {
    // FNV-1a: seeds that differ in one letter begin far apart.
    this.#state = Buffer.from(seed).reduce((hash, byte) => Math.imul(hash ^ byte, 16777619), 2166136261);
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    const index = Math.floor(this.next() * list.length);
    if (index >= list.length) throw new Error("nothing to pick from");
    return list[index] as T;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const rest = [...list];
    return list.map(() => rest.splice(Math.floor(this.next() * rest.length), 1)[0] as T);
  }

  sample<T>(list: readonly T[], count: number): T[] {
    if (count > list.length) throw new Error(`${count} wanted of ${list.length}`);
    return this.shuffled(list).slice(0, count);
  }
}
