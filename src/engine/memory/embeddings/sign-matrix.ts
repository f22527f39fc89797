/** Rows that are compared between two turns of the event loop: about a millisecond. */
export const ROWS_PER_SLICE = 20_000;
const FIRST_CAPACITY = 1024;

/** How many bits are set in each number of 16 bits. */
const BITS = new Uint8Array(65_536);
for (let number = 1; number < BITS.length; number++) BITS[number] = (number & 1) + (BITS[number >> 1] as number);

/** What is kept in memory and compared in a search, at 32 signs each: 16 MiB, and some 8 ms. */
const MAX_WORDS = 4_194_304;
const MIN_WORDS_EACH = 4;

/** Of how many words of signs each row is compared: all of `words`, or as many as fit when there are many rows. */
export const comparedWords = (words: number, rows: number): number =>
  Math.min(words, Math.max(MIN_WORDS_EACH, Math.floor(MAX_WORDS / Math.max(1, rows))));

/**
 * The first signs of all vectors, in memory. Removed rows stay in it, and a changed one is in it twice: what it finds is looked up
 * in the store.
 */
export class SignMatrix {
  readonly #words: number;
  #items = new Float64Array(FIRST_CAPACITY);
  #signs: Int32Array;
  #size = 0;

  /** `words`: of 32 signs each. */
  constructor(words: number) {
    this.#words = words;
    this.#signs = new Int32Array(FIRST_CAPACITY * words);
  }

  get size(): number {
    return this.#size;
  }

  get words(): number {
    return this.#words;
  }

  itemAt(row: number): number {
    return this.#items[row] as number;
  }

  /** Signs beyond its own number of words are left out. */
  add(item: number, signs: Int32Array): void {
    if (this.#size === this.#items.length) this.#grow();
    this.#items[this.#size] = item;
    this.#signs.set(signs.subarray(0, this.#words), this.#size * this.#words);
    this.#size++;
  }

  /** In how many of its signs each row from `from` differs from these, written into `distances`. Returns the row after the last one. */
  compare(other: Int32Array, distances: Uint16Array, from: number): number {
    const end = Math.min(from + ROWS_PER_SLICE, distances.length);
    const [words, signs] = [this.#words, this.#signs];
    for (let row = from, at = from * words; row < end; row++) {
      let distance = 0;
      for (let word = 0; word < words; word++, at++) {
        const difference = (signs[at] as number) ^ (other[word] as number);
        distance += (BITS[difference & 0xffff] as number) + (BITS[difference >>> 16] as number);
      }
      distances[row] = distance;
    }
    return end;
  }

  #grow(): void {
    const [items, signs] = [this.#items, this.#signs];
    this.#items = new Float64Array(items.length * 2);
    this.#items.set(items);
    this.#signs = new Int32Array(signs.length * 2);
    this.#signs.set(signs);
  }
}

/** The rows of the smallest distances, about so many. Plain loops: an iterator takes ten times as long. */
export function closestRows(distances: Uint16Array, count: number, largest: number): readonly number[] {
  const counts = new Uint32Array(largest + 1);
  for (let row = 0; row < distances.length; row++) {
    const distance = distances[row] as number;
    counts[distance] = (counts[distance] as number) + 1;
  }
  let [limit, found] = [0, counts[0] ?? 0];
  while (found < count && limit < largest) found += counts[++limit] as number;
  const rows: number[] = [];
  for (let row = 0; row < distances.length; row++) if ((distances[row] as number) <= limit) rows.push(row);
  return rows;
}
