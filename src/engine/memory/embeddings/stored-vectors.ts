import type { Store } from "../../store/open-store.ts";
import { Table } from "../../store/table.ts";
import type { Quantized } from "./quantize.ts";

/** An item and its signs. */
export interface StoredSigns {
  readonly item: number;
  readonly signs: Int32Array;
}

interface StoredVector {
  readonly item: number;
  readonly vector: Uint8Array;
}

/** The vectors in the store, and what waits for its vector. Those of another model than the current one count as none. */
export class StoredVectors extends Table {
  readonly #model: string;
  readonly #putVector = this.db.prepare("insert or replace into embedding_vectors (item, vector) values (?, ?)");
  readonly #putSigns = this.db.prepare(
    "insert or replace into embedding_signs (item, generation, signs) values (?, ?, ?)",
  );
  readonly #vector = this.db.prepare("select vector from embedding_vectors where item = ?");
  readonly #vectors = this.db.prepare(
    "select item, vector from embedding_vectors where item in (select value from json_each(?))",
  );
  readonly #signs = this.db.prepare(
    "select item, substr(signs, 1, ?) as signs from embedding_signs where item > ? and generation = ? order by item limit ?",
  );
  readonly #sizes = this.db.prepare(
    `select coalesce((select max(number) from episodes), 0) + coalesce((select max(number) from knowledge), 0)
     + coalesce((select max(id) from working_memory), 0) as most`,
  );
  readonly #outdated = this.db.prepare("select item from embedding_signs where generation <> ? limit ?");
  readonly #queue = this.db.prepare("insert or ignore into embedding_queue (item) values (?)");
  readonly #queued = this.db.prepare("select item from embedding_queue where item < ? order by item desc limit ?");
  readonly #unqueue = this.db.prepare("delete from embedding_queue where item = ?");
  readonly #isQueued = this.db.prepare("select 1 from embedding_queue where item = ?");
  readonly #removeSigns = this.db.prepare("delete from embedding_signs where item = ?");
  readonly #removeVector = this.db.prepare("delete from embedding_vectors where item = ?");
  readonly #count = this.db.prepare("select count(*) as n from embedding_queue");

  constructor(store: Store, model: string) {
    super(store);
    this.#model = model;
  }

  /** Length of the vectors; null before the first one. */
  get dimensions(): number | null {
    const state = this.store.state.get("embeddings");
    return state?.model === this.#model ? state.dimensions : null;
  }

  /** Whether vectors of another model, or of another length, may be left. */
  get hasOutdated(): boolean {
    const state = this.store.state.get("embeddings");
    return state !== null && (state.model !== this.#model || state.hasOutdated);
  }

  /** What waits for its vector. */
  waiting(): number {
    return Number(this.#count.get()?.["n"]);
  }

  /** Items that wait, the newest of each kind first, below `before`. */
  next(before: number, limit: number): readonly number[] {
    return this.#queued.all(before, limit).map(({ item }) => Number(item));
  }

  isWaiting(item: number): boolean {
    return this.#isQueued.get(item) !== undefined;
  }

  /** All vectors become outdated when they are of another model or length. Within the caller's transaction. */
  begin(dimensions: number | null): void {
    const { state } = this.store;
    const before = state.get("embeddings");
    const isSame = before?.model === this.#model && (dimensions === null || before.dimensions === dimensions);
    if (isSame) return;
    const isFirst = before === null || (before.model === this.#model && before.dimensions === null);
    state.set("embeddings", {
      model: this.#model,
      dimensions,
      generation: (before?.generation ?? 0) + (isFirst ? 0 : 1),
      hasOutdated: before !== null && (before.hasOutdated || !isFirst),
    });
  }

  outdated(limit: number): readonly number[] {
    return this.#outdated.all(this.#generation, limit).map(({ item }) => Number(item));
  }

  /** Within the caller's transaction. */
  renew(item: number): void {
    this.#removeSigns.run(item);
    this.#removeVector.run(item);
    this.#queue.run(item);
  }

  /** Within the caller's transaction. */
  allRenewed(): void {
    const known = this.store.state.get("embeddings");
    if (known !== null) this.store.state.set("embeddings", { ...known, hasOutdated: false });
  }

  /** Within the caller's transaction. */
  put(item: number, { bytes, signs }: Quantized): void {
    this.#putVector.run(item, bytes);
    this.#putSigns.run(item, this.#generation, new Uint8Array(signs.buffer));
    this.#unqueue.run(item);
  }

  /** For an item that gets no vector. Within the caller's transaction. */
  giveUp(item: number): void {
    this.#unqueue.run(item);
  }

  /** Null for an item that was removed. */
  vector(item: number): Int8Array | null {
    const bytes = this.#vector.get(item)?.["vector"];
    return bytes instanceof Uint8Array ? new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) : null;
  }

  /** Without those of items that were removed. A statement for each would take twice the time. */
  vectors(items: readonly number[]): ReadonlyMap<number, Int8Array> {
    const found = this.#vectors.all(JSON.stringify(items)) as unknown as readonly StoredVector[];
    return new Map(
      found.map(({ item, vector }) => [item, new Int8Array(vector.buffer, vector.byteOffset, vector.length)]),
    );
  }

  /** At most so many items have a vector. */
  most(): number {
    return Number(this.#sizes.get()?.["most"]);
  }

  /** The first words of current signs, in the order of their items. */
  signs(after: number, limit: number, words: number): readonly StoredSigns[] {
    if (this.dimensions === null) return [];
    return this.#signs
      .all(words * Int32Array.BYTES_PER_ELEMENT, after, this.#generation, limit)
      .map(({ item, signs }) => ({ item: Number(item), signs: wordsOf(signs as Uint8Array) }));
  }

  get #generation(): number {
    return this.store.state.get("embeddings")?.generation ?? 0;
  }
}

/** A copy: SQLite's bytes need not begin at a multiple of four. */
const wordsOf = (bytes: Uint8Array): Int32Array => new Int32Array(new Uint8Array(bytes).buffer);
