import { setImmediate as nextTurn } from "node:timers/promises";
import { collectGarbage } from "../../../shared/collect-garbage.ts";
import { NOTHING_NEAR, type Nearness } from "../search/nearness.ts";
import { type Quantized, cosine } from "./quantize.ts";
import { SignMatrix, closestRows } from "./sign-matrix.ts";
import type { StoredVectors } from "./stored-vectors.ts";

/** Signs tell nearly the order of the vectors: of so many nearest by signs, the vectors are compared. */
const COMPARED = 500;
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

/** Finds the nearest items to a vector. It keeps the signs of all vectors in memory for a minute after a search. */
export class NearestItems {
  readonly #stored: StoredVectors;
  #loaded: { readonly matrix: SignMatrix; readonly whole: Promise<void> } | null = null;
  #usedAt = 0;

  constructor(stored: StoredVectors) {
    this.#stored = stored;
  }

  /** Nothing for a vector of another length than the stored ones. */
  async nearest(to: Quantized, limit: number, signal: AbortSignal): Promise<Nearness> {
    const matrix = await this.#matrix(to.signs.length, signal);
    if (matrix === null) return NOTHING_NEAR;
    const distances = new Uint16Array(matrix.size);
    for (let at = 0; at < distances.length;) {
      at = matrix.compare(to.signs, distances, at);
      await nextTurn(undefined, { signal });
    }
    const similarities = new Map<number, number | null>();
    const similarityOf = (row: number): number | null => {
      const known = similarities.get(row);
      if (known !== undefined) return known;
      const vector = this.#stored.vector(row);
      const similarity = vector && cosine(to.bytes, vector);
      similarities.set(row, similarity);
      return similarity;
    };
    const usual = usualOf(sampleOf(matrix).flatMap((row) => similarityOf(row) ?? []));
    const close = new Set(closestRows(distances, COMPARED, to.bytes.length).map((row) => matrix.itemAt(row)));
    const rows = [...close]
      .flatMap((row) => {
        const similarity = similarityOf(row);
        return similarity === null ? [] : [{ row, similarity }];
      })
      .sort((one, other) => other.similarity - one.similarity)
      .slice(0, limit)
      .map(({ row }) => row);
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
    const { matrix } = this.#loaded ?? {};
    if (matrix?.words === signs.length) matrix.add(item, signs);
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

  async #matrix(words: number, signal: AbortSignal): Promise<SignMatrix | null> {
    this.#usedAt = performance.now();
    if (this.#loaded?.matrix.words !== words) {
      const matrix = new SignMatrix(words);
      const whole = this.#read(matrix);
      whole.catch(() => {
        if (this.#loaded?.matrix === matrix) this.forget();
      });
      this.#loaded = { matrix, whole };
    }
    const { matrix, whole } = this.#loaded;
    await Promise.race([whole, nextAbort(signal)]);
    return matrix.size === 0 ? null : matrix;
  }

  async #read(matrix: SignMatrix): Promise<void> {
    let after = -1;
    for (let found = this.#stored.signs(after, ITEMS_PER_READ); found.length > 0;) {
      for (const { item, signs } of found) if (signs.length === matrix.words) matrix.add(item, signs);
      after = found.at(-1)?.item ?? after;
      await nextTurn();
      found = this.#stored.signs(after, ITEMS_PER_READ);
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
