import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { EntityResolver } from "../../src/engine/learning/entity-resolver.ts";
import { nothingExtracted } from "../../src/engine/learning/extraction.ts";
import { Learning } from "../../src/engine/learning/learning.ts";
import { MemoryWriter } from "../../src/engine/memory/memory-writer.ts";
import { learningTables } from "../../src/engine/memory/open-memory.ts";
import { openRelatedWords } from "../../src/engine/memory/search/related-words.ts";
import { MemorySearch, type SearchRequest } from "../../src/engine/memory/search/search-memory.ts";
import { WriteLane } from "../../src/engine/memory/write-lane.ts";
import { openStore } from "../../src/engine/store/open-store.ts";
import { createLogger } from "../../src/shared/logger.ts";
import type { Talk } from "./history.ts";
import type { Found, Search, System, SystemKind } from "./system.ts";

/** As the engine's, unless `none` is asked for. */
const RELATED =
  process.env["ENGINE_WORD_VECTORS"] === "none"
    ? undefined
    : openRelatedWords(
        process.env["ENGINE_WORD_VECTORS"] ?? resolve(import.meta.dirname, "../../data/word-vectors/en"),
        createLogger("bench", "warn"),
      );
const MINUTE = 60_000;
/** As after how many turns an engine learns by itself. */
const LEARNS_AFTER = 20;

/** An engine's memory, written and learned from as its turns do it. No model is asked, and there are no embeddings. */
export const ORCHD: SystemKind = { name: "orchd", open: () => Promise.resolve(new Orchd()) };
/** The same, held to what it takes for an answer: where it takes nothing for one, it has returned nothing. */
export const ORCHD_ANSWERS: SystemKind = {
  name: "orchd-answers",
  open: () => Promise.resolve(new Orchd({ bearing: "answers" })),
};

class Orchd implements System {
  readonly #folder = mkdtempSync(join(tmpdir(), "orchd-bench-memory-"));
  readonly #store = openStore(this.#folder);
  readonly #search = new MemorySearch(this.#store, undefined, RELATED);
  readonly #roundOf = new Map<string, string>();
  readonly #request: Pick<SearchRequest, "bearing">;

  constructor(request: Pick<SearchRequest, "bearing"> = {}) {
    this.#request = request;
  }

  async load({ conversations }: Talk): Promise<void> {
    let clock = 0;
    const tables = learningTables(this.#store);
    const record = new MemoryWriter(this.#store, tables.index);
    const learning = new Learning({
      ...tables,
      lane: new WriteLane(this.#store),
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
    this.#store.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
