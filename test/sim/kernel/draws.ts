/** A replay drew something that the recorded run did not draw. */
export class ReplayDiverged extends Error {
  override readonly name = "ReplayDiverged";
}

/**
 * The random numbers of one run. Each draw has a name, and each name is a sequence of its own: what one part of the
 * simulation draws changes nothing for the others, so that a shortened plan keeps the timing of what stays.
 */
export class Draws {
  readonly seed: number;
  readonly #counts = new Map<string, { readonly hash: number; count: number }>();
  readonly #expected: readonly string[] | null;
  readonly #names: string[] = [];

  /** `expected`: the names that an earlier run of this seed has drawn, in order. */
  constructor(seed: number, expected: readonly string[] | null = null) {
    this.seed = seed;
    this.#expected = expected;
  }

  /** Every name so far, in order. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** At least 0, below 1. */
  number(name: string): number {
    const at = this.#names.length;
    if (this.#expected !== null && this.#expected[at] !== name)
      throw new ReplayDiverged(`draw ${at} of seed ${this.seed}: expected ${this.#expected[at]}, got ${name}`);
    this.#names.push(name);
    let sequence = this.#counts.get(name);
    if (sequence === undefined) this.#counts.set(name, (sequence = { hash: hashOf(name), count: 0 }));
    return mix(this.seed, sequence.hash, sequence.count++) / 2 ** 32;
  }

  /** An integer, both bounds included. */
  integer(name: string, min: number, max: number): number {
    return min + Math.floor(this.number(name) * (max - min + 1));
  }

  chance(name: string, probability: number): boolean {
    return this.number(name) < probability;
  }

  pick<T>(name: string, items: readonly T[]): T {
    return items[this.integer(name, 0, items.length - 1)] as T;
  }

  /** Of `[item, weight]` pairs. */
  weighted<T>(name: string, items: readonly (readonly [T, number])[]): T {
    let left = this.number(name) * items.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return items[items.length - 1]?.[0] as T;
  }

  /** Bytes for ids. */
  bytes(name: string, size: number): Buffer {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at += 4) {
      const word = Math.floor(this.number(name) * 2 ** 32);
      for (let byte = 0; byte < 4 && at + byte < size; byte++) bytes[at + byte] = (word >>> (8 * byte)) & 0xff;
    }
    return bytes;
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The finalizer of MurmurHash3 over three words. */
function mix(...words: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const word of words) {
    hash ^= word;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
    hash = (hash + 0x9e3779b9) | 0;
  }
  return hash >>> 0;
}
