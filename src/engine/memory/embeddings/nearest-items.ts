import { setImmediate as nextTurn } from "node:timers/promises";
import { collectGarbage } from "../../../shared/collect-garbage.ts";
import { NOTHING_NEAR, type Nearness } from "../search/nearness.ts";
import { type Quantized, cosine, wordsFor } from "./quantize.ts";
import { SignMatrix, closestRows, comparedWords } from "./sign-matrix.ts";
import type { StoredVectors } from "./stored-vectors.ts";

/** Signs tell nearly the order of the vectors: of so many nearest by signs, the vectors are compared. */
const COMPARED = 300;
/** The same where memory holds only a part of the signs. */
const COMPARED_BY_PART = 600;
/** Items whose similarity says what is usual. */
const SAMPLE = 256;
/** Of fewer items nothing is usual. */
const MIN_SAMPLE = 8;
/** Standard deviations of a normal distribution in a median absolute deviation. */
const DEVIATIONS = 1.4826;
const MIN_SPREAD = 0.01;
const ITEMS_PER_READ = 2000;
const IDLE_MS = 60_000;
/** From this size on, the memory is given back at once, which takes 10 ms. */
const LARGE_ROWS = 20_000;

/** Where the vectors are. */
export type VectorStore = Pick<StoredVectors, "dimensions" | "most" | "signs" | "vector" | "vectors">;

/** The signs in memory. */
interface Loaded {
  readonly matrix: SignMatrix;
  /** Of a vector. */
  readonly words: number;
  readonly whole: Promise<void>;
}

/** Finds the nearest items to a vector. It keeps signs of all vectors in memory for a minute after a search. */
export class NearestItems {
  readonly #stored: VectorStore;
  #loaded: Loaded | null = null;
  #usedAt = 0;

  constructor(stored: VectorStore) {
    this.#stored = stored;
  }

  /** Begins to read the signs, for a search whose vector is not known yet. */
  prepare(): void {
    const { dimensions } = this.#stored;
    if (dimensions !== null) this.#load(wordsFor(dimensions));
  }

  /** Nothing for a vector of another length than the stored ones. */
  async nearest(to: Quantized, limit: number, signal: AbortSignal): Promise<Nearness> {
    const { matrix, words, whole } = this.#load(to.signs.length);
    await Promise.race([whole, nextAbort(signal)]);
    if (matrix.size === 0) return NOTHING_NEAR;
    const distances = new Uint16Array(matrix.size);
    for (let at = 0; at < distances.length;) {
      at = matrix.compare(to.signs, distances, at);
      await nextTurn(undefined, { signal });
    }
    const count = matrix.words < words ? COMPARED_BY_PART : COMPARED;
    const close = new Set(closestRows(distances, count, to.bytes.length).map((row) => matrix.itemAt(row)));
    const sample = sampleOf(matrix);
    const similarities = new Map<number, number>();
    for (const [item, vector] of this.#stored.vectors([...new Set([...sample, ...close])]))
      similarities.set(item, cosine(to.bytes, vector));
    const usual = usualOf(sample.flatMap((item) => similarities.get(item) ?? []));
    const rows = [...close]
      .flatMap((row) => {
        const similarity = similarities.get(row);
        return similarity === undefined ? [] : [{ row, similarity }];
      })
      .sort((one, other) => other.similarity - one.similarity)
      .slice(0, limit)
      .map(({ row }) => row);
    const similarityOf = (row: number): number | null => {
      const vector = similarities.has(row) ? null : this.#stored.vector(row);
      return vector === null ? (similarities.get(row) ?? null) : cosine(to.bytes, vector);
    };
    return {
      rows,
      zScore(row) {
        const similarity = similarityOf(row);
        return similarity === null ? 0 : usual(similarity);
      },
    };
  }

  /** A vector that has been stored. */
  added(item: number, signs: Int32Array): void {
    if (this.#loaded?.words === signs.length) this.#loaded.matrix.add(item, signs);
  }

  /** Forgets all signs: they were erased, or are of another model. */
  forget(): void {
    this.#loaded = null;
  }

  /** Gives the memory back some time after the last search. */
  release(now: number): void {
    if (this.#loaded === null || now - this.#usedAt < IDLE_MS) return;
    const { size } = this.#loaded.matrix;
    this.forget();
    if (size >= LARGE_ROWS) collectGarbage();
  }

  #load(words: number): Loaded {
    this.#usedAt = performance.now();
    if (this.#loaded?.words === words) return this.#loaded;
    const matrix = new SignMatrix(comparedWords(words, this.#stored.most()));
    const whole = this.#read(matrix, words);
    whole.catch(() => {
      if (this.#loaded?.matrix === matrix) this.forget();
    });
    this.#loaded = { matrix, words, whole };
    return this.#loaded;
  }

  async #read(matrix: SignMatrix, words: number): Promise<void> {
    if (words !== wordsFor(this.#stored.dimensions ?? 0)) return;
    let after = -1;
    for (let found = this.#stored.signs(after, ITEMS_PER_READ, matrix.words); found.length > 0;) {
      for (const { item, signs } of found) matrix.add(item, signs);
      after = found.at(-1)?.item ?? after;
      await nextTurn();
      found = this.#stored.signs(after, ITEMS_PER_READ, matrix.words);
    }
  }
}

/** Items all over the memory. */
function sampleOf(matrix: SignMatrix): readonly number[] {
  const step = Math.max(1, matrix.size / SAMPLE);
  return Array.from({ length: Math.min(SAMPLE, matrix.size) }, (_, at) => matrix.itemAt(Math.floor(at * step)));
}

const nextAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

/** By median and deviation from it, which a few near items do not change. */
function usualOf(similarities: readonly number[]): (similarity: number) => number {
  if (similarities.length < MIN_SAMPLE) return () => 0;
  const middle = median(similarities);
  const spread = Math.max(MIN_SPREAD, DEVIATIONS * median(similarities.map((one) => Math.abs(one - middle))));
  return (similarity) => (similarity - middle) / spread;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
