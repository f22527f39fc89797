import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FullTextIndex } from "../../src/engine/memory/memory-index.ts";
import { MemorySearch } from "../../src/engine/memory/memory-search.ts";
import { MemoryRecord } from "../../src/engine/memory/record.ts";
import { openStore } from "../../src/engine/store/open-store.ts";
import type { Talk } from "./history.ts";
import type { Found, Search, System, SystemKind } from "./system.ts";

const MINUTE = 60_000;

/** An engine's memory, written as its turns write it. No model is asked, and there are no embeddings. */
export const ORCHD: SystemKind = { name: "orchd", open: () => Promise.resolve(new Orchd()) };

class Orchd implements System {
  readonly #folder = mkdtempSync(join(tmpdir(), "orchd-bench-memory-"));
  readonly #store = openStore(this.#folder);
  readonly #search = new MemorySearch(this.#store);
  readonly #roundOf = new Map<string, string>();

  load({ conversations }: Talk): Promise<void> {
    const record = new MemoryRecord(this.#store, new FullTextIndex(this.#store));
    const inOrder = conversations.toSorted((one, other) => one.date.localeCompare(other.date));
    for (const { id: taskId, date, rounds } of inOrder) {
      for (const [index, { id: turnId, user, assistant }] of rounds.entries()) {
        const startedAt = Date.parse(date) + index * MINUTE;
        this.#store.transaction(() =>
          record.round({
            taskId,
            turnId,
            question: user,
            answer: assistant,
            steps: [],
            trust: 1,
            startedAt,
            endedAt: startedAt,
            outcome: "completed",
            errorCode: null,
            usage: { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 },
          }),
        );
      }
    }
    for (const { id, turn_id: turnId } of this.#store.db.prepare("select id, turn_id from episodes").all())
      this.#roundOf.set(String(id), String(turnId));
    return Promise.resolve();
  }

  async search({ query, now, limit }: Search): Promise<Found> {
    // A round and the facts that were learned from it come beside each other.
    const hits = await this.#search.search({ query, now: Date.parse(now), limit: limit * 3 });
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
