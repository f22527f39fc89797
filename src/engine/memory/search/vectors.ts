import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "../../store/open-store.ts";
import { type IndexRange, numberOf, rangeOf } from "./index-rows.ts";

/** Current models put most information into the leading dimensions. More would cost memory and time. */
const MAX_DIMENSIONS = 256;
const ROWS_PER_SLICE = 10_000;

/** A normalized vector, quantized to 256 bytes. */
export function quantize(values: readonly number[]): Int8Array {
  const kept = values.slice(0, MAX_DIMENSIONS);
  const length = Math.hypot(...kept) || 1;
  return Int8Array.from(kept, (value) => Math.round((value / length) * 127));
}

interface Neighbour {
  readonly row: number;
  /** Similarity in standard deviations above the mean. */
  readonly zScore: number;
}

/** The nearest rows to a text; none after the deadline of the search. */
export type VectorSearch = (text: string, limit: number, signal?: AbortSignal) => Promise<readonly Neighbour[]>;

/** All vectors, loaded into memory by the first query. */
export class Vectors {
  readonly #store: Store;
  readonly #model: string;
  readonly #insert;
  readonly #vectors = new Map<number, Int8Array>();
  #loading: Promise<void> | undefined;

  constructor(store: Store, model: string) {
    this.#store = store;
    this.#model = model;
    this.#insert = store.db.prepare(
      "insert into memory_embeddings (item, model, vector) values (?, ?, ?) on conflict do update set vector = excluded.vector",
    );
  }

  /** Within the caller's transaction. */
  put(row: number, vector: Int8Array): void {
    this.#insert.run(row, this.#model, vector);
    this.#vectors.set(row, vector);
  }

  /** Deletes vectors of other models. */
  dropOtherModels(): void {
    this.#store.db.prepare("delete from memory_embeddings where model <> ?").run(this.#model);
  }

  /** Drops vectors of rows after the last one of a range: they were erased. */
  dropAfter(range: IndexRange, last: number): void {
    for (const row of this.#vectors.keys())
      if (rangeOf(row) === range && numberOf(row) > last) this.#vectors.delete(row);
  }

  /** Compares with all vectors. The event loop runs between slices. */
  async nearest(to: Int8Array, limit: number, signal: AbortSignal): Promise<readonly Neighbour[]> {
    await this.#loaded();
    const rows: number[] = [];
    const products: number[] = [];
    for (const [row, vector] of this.#vectors) {
      if (rangeOf(row) === "closed_fact" || vector.length !== to.length) continue;
      rows.push(row);
      products.push(dotProduct(to, vector));
      if (rows.length % ROWS_PER_SLICE === 0) await nextTurn(undefined, { signal });
    }
    const mean = products.reduce((sum, one) => sum + one, 0) / Math.max(1, products.length);
    const spread =
      Math.sqrt(products.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, products.length)) || 1;
    return rows
      .map((row, at) => ({ row, zScore: ((products[at] ?? 0) - mean) / spread }))
      .sort((one, other) => other.zScore - one.zScore)
      .slice(0, limit);
  }

  /** After a failure the next call retries. */
  #loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const select = this.#store.db.prepare(
      `select item, vector from memory_embeddings where model = ? and item > ? order by item limit ${ROWS_PER_SLICE}`,
    );
    let after = -1;
    for (let found = select.all(this.#model, after); found.length > 0; found = select.all(this.#model, after)) {
      for (const { item, vector } of found) {
        after = Number(item);
        if (numberOf(after) > 0 && !this.#vectors.has(after))
          this.#vectors.set(after, new Int8Array(vector as Uint8Array));
      }
      await nextTurn();
    }
  }
}

function dotProduct(one: Int8Array, other: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
