import type { Test } from "tap";
import { MemoryWriter } from "../../../src/engine/memory/memory-writer.ts";
import { learningTables } from "../../../src/engine/memory/open-memory.ts";
import { type Store, openStore } from "../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../helpers/folder.ts";

/** A memory that is told rounds of conversations, without an engine around it. */
export function remembering(t: Test, store: Store = openStore(freshFolder(t))) {
  t.teardown(() => store.close());
  const tables = learningTables(store);
  const record = new MemoryWriter(store, tables.index);
  let told = 0;
  return {
    store,
    tables,
    record,
    /** One round on that day, in a conversation of its own; gives its turn. */
    tell: (day: string, question: string, answer = "I see."): string => {
      const turnId = `turn_${++told}`;
      const at = Date.parse(`${day}T12:00:00Z`);
      const usage = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };
      const how = { steps: [], trust: 1, outcome: "completed", errorCode: null, usage } as const;
      const words = { taskId: `task-${told}`, turnId, question, answer, startedAt: at, endedAt: at };
      store.transaction(() => record.round({ ...words, ...how }));
      return turnId;
    },
  };
}
