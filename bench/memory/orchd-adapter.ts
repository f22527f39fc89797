import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EntityResolver } from "../../src/engine/learning/entity-resolver.ts";
import { nothingExtracted } from "../../src/engine/learning/extraction.ts";
import { Learning } from "../../src/engine/learning/learning.ts";
import { MemoryWriter } from "../../src/engine/memory/memory-writer.ts";
import { learningTables } from "../../src/engine/memory/open-memory.ts";
import { openRelatedWords } from "../../src/engine/memory/search/related-words.ts";
import { Embeddings } from "../../src/engine/memory/embeddings/embeddings.ts";
import type { TextEmbedder } from "../../src/engine/memory/embeddings/text-embedder.ts";
import { createEmbedder } from "../../src/engine/model/embedder.ts";
import { NO_METER } from "../../src/engine/model/metered-provider.ts";
import { MemorySearch, type SearchRequest } from "../../src/engine/memory/search/search-memory.ts";
import { WriteLane } from "../../src/engine/memory/write-lane.ts";
import { openStore } from "../../src/engine/store/open-store.ts";
import { createLogger } from "../../src/shared/logger.ts";
import type { Talk } from "./history.ts";
import type { Found, Search, System, SystemKind } from "./system.ts";
import { wordEmbedder } from "./word-embedder.ts";
import { WORD_VECTORS } from "./word-vectors.ts";

/** As the engine's, unless `none` is asked for. */
const RELATED =
  process.env["ENGINE_WORD_VECTORS"] === "none"
    ? undefined
    : openRelatedWords(process.env["ENGINE_WORD_VECTORS"] ?? WORD_VECTORS, createLogger("bench", "warn"));
const MINUTE = 60_000;
/** As after how many turns an engine learns by itself. */
const LEARNS_AFTER = 20;

/** That of the settings of an engine, else one that needs no model. */
function embedderAtHand(): TextEmbedder {
  const {
    ENGINE_EMBEDDINGS_URL: url,
    ENGINE_EMBEDDINGS_MODEL: model = "",
    ENGINE_EMBEDDINGS_KEY: apiKey,
  } = process.env;
  return url === undefined
    ? wordEmbedder()
    : createEmbedder({ url, model, apiKey }, { meter: NO_METER, extraCaCerts: null });
}

/** An engine's memory, written and learned from as its turns do it. No model is asked, and there are no embeddings. */
export const ORCHD: SystemKind = { name: "orchd", open: () => Promise.resolve(new Orchd()) };
/** The same with embeddings. */
export const ORCHD_EMBEDDINGS: SystemKind = {
  name: "orchd-embeddings",
  open: () => Promise.resolve(new Orchd({}, embedderAtHand())),
};
/** The same, held to what it takes for an answer: where it takes nothing for one, it has returned nothing. */
export const ORCHD_ANSWERS: SystemKind = {
  name: "orchd-answers",
  open: () => Promise.resolve(new Orchd({ bearing: "answers" })),
};

/** Both. */
export const ORCHD_EMBEDDINGS_ANSWERS: SystemKind = {
  name: "orchd-embeddings-answers",
  open: () => Promise.resolve(new Orchd({ bearing: "answers" }, embedderAtHand())),
};

class Orchd implements System {
  readonly #folder = mkdtempSync(join(tmpdir(), "orchd-bench-memory-"));
  readonly #store = openStore(this.#folder);
  readonly #lane = new WriteLane(this.#store);
  readonly #embeddings: Embeddings | undefined;
  readonly #search: MemorySearch;
  readonly #roundOf = new Map<string, string>();
  readonly #request: Pick<SearchRequest, "bearing">;

  constructor(request: Pick<SearchRequest, "bearing"> = {}, embedder?: TextEmbedder) {
    this.#request = request;
    const parts = { store: this.#store, lane: this.#lane, logger: createLogger("bench", "warn") };
    this.#embeddings = embedder && new Embeddings({ ...parts, embedder });
    this.#search = new MemorySearch(this.#store, this.#embeddings?.nearest, RELATED);
  }

  async load({ conversations }: Talk): Promise<void> {
    let clock = 0;
    const tables = learningTables(this.#store);
    const record = new MemoryWriter(this.#store, tables.index);
    const learning = new Learning({
      ...tables,
      lane: this.#lane,
      people: new EntityResolver(tables.graph),
      consolidate: () => Promise.resolve({ lines: 0, closed: 0, stopped: null }),
      extract: (rounds) => Promise.resolve(nothingExtracted(rounds)),
      toolNamed: () => undefined,
      skillNames: () => new Set(),
      isBusy: () => false,
      isAllowed: () => true,
      now: () => clock,
      logger: createLogger("bench", "silent"),
    });
    let rounds = 0;
    for (const { id: taskId, date, rounds: said } of conversations.toSorted((one, other) =>
      one.date.localeCompare(other.date),
    )) {
      for (const [at, { id: turnId, user: question, assistant: answer }] of said.entries()) {
        clock = Date.parse(date) + at * MINUTE;
        const times = { startedAt: clock, endedAt: clock };
        const usage = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };
        const how = { steps: [], trust: 1, outcome: "completed", errorCode: null, usage } as const;
        this.#store.transaction(() => record.round({ taskId, turnId, question, answer, ...times, ...how }));
        if (++rounds % LEARNS_AFTER === 0) await learning.trigger();
      }
    }
    await learning.trigger();
    await learning.close();
    await this.#embeddings?.work();
    for (const { id, turn_id: turnId } of this.#store.db.prepare("select id, turn_id from episodes").all())
      this.#roundOf.set(String(id), String(turnId));
  }

  async search({ query, now, limit }: Search): Promise<Found> {
    // A round and the facts that were learned from it come beside each other.
    const hits = await this.#search.search({ query, now: Date.parse(now), limit: limit * 3, ...this.#request });
    return {
      hits: hits.map(({ evidence, content }) => ({
        of: evidence.flatMap((id) => this.#roundOf.get(id) ?? []),
        text: content,
      })),
    };
  }

  async close(): Promise<void> {
    await this.#embeddings?.close();
    this.#store.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
