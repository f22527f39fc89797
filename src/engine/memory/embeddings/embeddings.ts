import { inBackground } from "../../../shared/background.ts";
import type { Logger } from "../../../shared/logger.ts";
import type { Store } from "../../store/open-store.ts";
import type { VectorSearch } from "../search/nearness.ts";
import { type StoredItem, StoredItems } from "../search/stored-items.ts";
import type { WriteLane } from "../write-lane.ts";
import { vectorSearch } from "./embed-query.ts";
import { LONGEST_TEXT, embedTexts } from "./embed-texts.ts";
import { NearestItems } from "./nearest-items.ts";
import { Pauses } from "../../../shared/pauses.ts";
import { type Quantized, quantize } from "./quantize.ts";
import { StoredVectors } from "./stored-vectors.ts";
import { type TextEmbedder, retryAfterMs } from "./text-embedder.ts";

export interface EmbeddingParts {
  readonly store: Store;
  readonly lane: WriteLane;
  readonly embedder: TextEmbedder;
  readonly logger: Logger;
}

/** How far the vectors of an engine's memory are. */
export interface EmbeddingsStatus {
  /** Memories that wait for their vector. */
  readonly waiting: number;
  /** Why the last call failed. Null after one that did not. */
  readonly error: string | null;
}

const PASS_INTERVAL_MS = 15_000;
const CALL_TIMEOUT_MS = 60_000;
/** Small, so that a query between two of them waits for little. */
const BATCH_SIZE = 16;
const OUTDATED_AT_ONCE = 500;

/** Makes vectors of new memories in the background, the newest first, and finds memories by them. */
export class Embeddings {
  readonly #parts: EmbeddingParts;
  readonly #items: StoredItems;
  readonly #vectors: StoredVectors;
  readonly #nearest: NearestItems;
  readonly #pauses = new Pauses();
  readonly #stop = new AbortController();
  readonly #timer;
  #retry: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #status: EmbeddingsStatus;
  readonly nearest: VectorSearch;

  constructor(parts: EmbeddingParts, everyMs = PASS_INTERVAL_MS) {
    this.#parts = parts;
    const { store, embedder } = parts;
    this.#items = new StoredItems(store);
    this.#vectors = new StoredVectors(store, embedder.model);
    this.#nearest = new NearestItems(this.#vectors);
    this.nearest = vectorSearch({ ...parts, nearest: () => this.#nearest, stopping: this.#stop.signal });
    this.#status = { waiting: this.#vectors.waiting(), error: null };
    this.#timer = setInterval(() => this.#tick(), everyMs).unref();
  }

  /** Of the last pass: it reads nothing. */
  get status(): EmbeddingsStatus {
    return this.#status;
  }

  /** One pass at a time. The next pass retries what failed. */
  work(): Promise<void> {
    this.#working ??= this.#pass()
      .then(
        () => this.#succeeded(),
        (error: unknown) => this.#failed(error),
      )
      .finally(() => (this.#working = undefined));
    return this.#working;
  }

  /** The memory was erased. */
  erased(): void {
    this.#nearest.forget();
    this.#status = { ...this.#status, waiting: 0 };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    this.#stop.abort();
    this.#nearest.forget();
    await this.#working;
  }

  #tick(): void {
    const now = performance.now();
    this.#nearest.release(now);
    if (this.#pauses.isOver(now)) this.#workInBackground();
  }

  #workInBackground(): void {
    inBackground("embedding of memory", this.work());
  }

  #succeeded(): void {
    this.#pauses.succeeded();
    this.#status = { waiting: this.#vectors.waiting(), error: null };
  }

  #failed(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#pauses.failed(performance.now(), retryAfterMs(error));
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#workInBackground(), this.#pauses.remaining(performance.now())).unref();
    const message = error instanceof Error ? error.message : String(error);
    if (this.#status.error !== message)
      this.#parts.logger.warn({ err: error }, "failed to embed memories; a later pass retries");
    this.#status = { waiting: this.#vectors.waiting(), error: message };
  }

  async #pass(): Promise<void> {
    await this.#renewOutdated();
    // A call may take long.
    this.#status = { ...this.#status, waiting: this.#vectors.waiting() };
    let before = Number.MAX_SAFE_INTEGER;
    for (let items = this.#vectors.next(before, BATCH_SIZE); items.length > 0;) {
      this.#stop.signal.throwIfAborted();
      await this.#embed(items.map((row) => ({ row, item: this.#items.read(row) })));
      this.#pauses.succeeded();
      this.#status = { waiting: this.#vectors.waiting(), error: null };
      before = items.at(-1) ?? 0;
      items = this.#vectors.next(before, BATCH_SIZE);
    }
  }

  /** Queues what has a vector of another model. */
  async #renewOutdated(): Promise<void> {
    const { lane } = this.#parts;
    if (this.#vectors.dimensions === null) await lane.run(() => this.#vectors.begin(null));
    if (!this.#vectors.hasOutdated) return;
    this.#nearest.forget();
    for (let items = this.#vectors.outdated(OUTDATED_AT_ONCE); items.length > 0;) {
      this.#stop.signal.throwIfAborted();
      await lane.each(items, (item) => this.#vectors.renew(item));
      items = this.#vectors.outdated(OUTDATED_AT_ONCE);
    }
    await lane.run(() => this.#vectors.allRenewed());
  }

  async #embed(read: readonly { readonly row: number; readonly item: StoredItem | null }[]): Promise<void> {
    const texts = read.flatMap(({ row, item }) => {
      const text = item === null ? "" : textOf(item);
      return text === "" ? [] : [{ row, text }];
    });
    const empty = read.filter(({ row }) => !texts.some((one) => one.row === row));
    if (empty.length > 0) await this.#parts.lane.each(empty, ({ row }) => this.#vectors.giveUp(row));
    if (texts.length > 0) await this.#call(texts);
  }

  async #call(texts: readonly { readonly row: number; readonly text: string }[]): Promise<void> {
    const { embedder, lane, logger } = this.#parts;
    await embedTexts(texts, {
      embed: (sent) => {
        const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
        return embedder.embed(sent, signal);
      },
      made: async (items, vectors) => {
        const made = items.map((one, at) => ({ ...one, quantized: quantize(vectors[at] ?? []) }));
        await this.#begin(vectors[0]?.length ?? 0);
        await lane.each(made, ({ row, text, quantized }) => this.#put(row, text, quantized));
      },
      refused: async ({ row }, error) => {
        logger.warn({ err: error }, "the embeddings endpoint refuses a memory, which gets no vector");
        await lane.run(() => this.#vectors.giveUp(row));
      },
    });
  }

  /** Vectors of another length than the stored ones make these outdated. */
  async #begin(dimensions: number): Promise<void> {
    if (this.#vectors.dimensions === dimensions) return;
    await this.#parts.lane.run(() => this.#vectors.begin(dimensions));
    await this.#renewOutdated();
  }

  /** The item may have been erased or changed since. Within the caller's transaction. */
  #put(row: number, text: string, quantized: Quantized): void {
    const item = this.#items.read(row);
    if (!this.#vectors.isWaiting(row) || item === null || textOf(item) !== text) return;
    this.#vectors.put(row, quantized);
    // A transaction that fails leaves signs that lead to nothing.
    this.#nearest.added(row, quantized.signs);
  }
}

const textOf = ({ texts }: StoredItem): string => texts.join("\n\n").slice(0, LONGEST_TEXT).trim();
