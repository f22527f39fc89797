import { setImmediate as nextTurn } from "node:timers/promises";
import { inBackground } from "../../../shared/background.ts";
import { whenAborted } from "../../../shared/clock.ts";
import type { Logger } from "../../../shared/logger.ts";
import type { Store } from "../../store/open-store.ts";
import { type IndexRange, indexRow } from "./index-rows.ts";
import { type StoredItem, StoredItems } from "./stored-items.ts";
import { type VectorSearch, Vectors, quantize } from "./vectors.ts";
import type { WriteLane } from "../write-lane.ts";

/** The embedding model. */
export interface TextEmbedder {
  readonly model: string;
  /** Texts of one call. */
  readonly batchSize: number;
  embed(
    texts: readonly string[],
    how: { readonly priority: "interactive" | "background"; readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
}

interface EmbeddingParts {
  readonly store: Store;
  readonly lane: WriteLane;
  readonly embedder: TextEmbedder;
  readonly logger: Logger;
}

const PASS_INTERVAL_MS = 30_000;
const CALL_TIMEOUT_MS = 60_000;
/** A user waits for the search, which uses full text only after this time. */
const QUERY_TIMEOUT_MS = 300;
const MAX_QUERY_LENGTH = 2000;
const MAX_ITEM_LENGTH = 4000;
const ROWS_PER_SCAN = 2000;
const RANGES: readonly (readonly [IndexRange, string, string])[] = [
  ["episode", "episodes", "number"],
  ["fact", "knowledge", "number"],
  ["note", "working_memory", "id"],
];

/** Embeds new items in the background, the newest first, and queries on demand. */
export class Embeddings {
  readonly #parts: EmbeddingParts;
  readonly #items: StoredItems;
  readonly #vectors: Vectors;
  readonly #stop = new AbortController();
  readonly #timer;
  #working: Promise<void> | undefined;

  constructor(parts: EmbeddingParts, everyMs = PASS_INTERVAL_MS) {
    this.#parts = parts;
    this.#items = new StoredItems(parts.store);
    this.#vectors = new Vectors(parts.store, parts.embedder.model);
    this.#timer = setInterval(() => inBackground("embedding of memory", this.work()), everyMs).unref();
  }

  /** One pass at a time. The next pass retries what failed. */
  work(): Promise<void> {
    this.#working ??= this.#pass()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#parts.logger.warn({ err: error }, "failed to embed memory items; the next pass retries");
      })
      .finally(() => (this.#working = undefined));
    return this.#working;
  }

  /** The nearest items to a text; none if the model does not answer within `QUERY_TIMEOUT_MS`. */
  readonly nearest: VectorSearch = async (text, limit, signal) => {
    const { embedder, logger } = this.#parts;
    const deadline = AbortSignal.any([
      this.#stop.signal,
      AbortSignal.timeout(QUERY_TIMEOUT_MS),
      ...(signal ? [signal] : []),
    ]);
    try {
      const embedded = embedder.embed([text.slice(0, MAX_QUERY_LENGTH).toWellFormed()], {
        priority: "interactive",
        signal: deadline,
      });
      const [vector] = await Promise.race([embedded, whenAborted(deadline).then(() => [])]);
      return vector === undefined ? [] : await this.#vectors.nearest(quantize(vector), limit, deadline);
    } catch (error) {
      logger.debug({ err: error }, "failed to embed a query; searching by full text only");
      return [];
    }
  };

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#working;
  }

  async #pass(): Promise<void> {
    const { lane, embedder } = this.#parts;
    await lane.run(() => this.#vectors.dropOtherModels());
    for (const range of RANGES) {
      for await (const rows of this.#rowsWithoutVector(range)) {
        for (let at = 0; at < rows.length; at += embedder.batchSize)
          await this.#embed(rows.slice(at, at + embedder.batchSize));
      }
    }
  }

  async #embed(rows: readonly number[]): Promise<void> {
    const { lane, embedder } = this.#parts;
    const items = rows.flatMap((row) => this.#items.read(row) ?? []);
    if (items.length === 0) return;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
    const texts = items.map(textOf);
    const vectors = await embedder.embed(texts, { priority: "background", signal });
    const embedded = items.map(({ row }, at) => ({ row, text: texts[at], vector: quantize(vectors[at] ?? []) }));
    await lane.each(embedded, ({ row, text, vector }) => {
      // The item may have been erased or changed since.
      const item = this.#items.read(row);
      if (item !== null && textOf(item) === text) this.#vectors.put(row, vector);
    });
  }

  async *#rowsWithoutVector([range, table, number]: (typeof RANGES)[number]): AsyncGenerator<readonly number[]> {
    const { store, embedder } = this.#parts;
    const newest = Number(store.db.prepare(`select max(${number}) as newest from ${table}`).get()?.["newest"] ?? 0);
    this.#vectors.dropAfter(range, newest);
    const select = store.db.prepare(
      `select ${number} as number from ${table}
       left join memory_embeddings on item = ${number} + ? and model = ?
       where ${number} between ? and ? and item is null ${range === "fact" ? "and recorded_to is null" : ""}
       order by ${number} desc`,
    );
    for (let last = newest; last > 0; last -= ROWS_PER_SCAN) {
      this.#stop.signal.throwIfAborted();
      const found = select.all(indexRow(range, 0), embedder.model, last - ROWS_PER_SCAN + 1, last);
      yield found.map((row) => indexRow(range, Number(row["number"])));
      await nextTurn();
    }
  }
}

const textOf = ({ texts }: StoredItem): string => texts.join("\n\n").slice(0, MAX_ITEM_LENGTH).toWellFormed() || " ";
