import type { Logger } from "../../kit/logger.ts";
import type { Store } from "../store/open-store.ts";
import type { EraseParts } from "./portability/erase-memory.ts";
import { Embeddings, type TextVectors } from "./search/embeddings.ts";
import { indexMissing } from "./search/index-missing.ts";
import { type LearningTables, learningTables } from "./learning-tables.ts";
import { FullTextIndex } from "./search/memory-index.ts";
import { MemoryLists } from "./memory-lists.ts";
import { MemoryRights } from "./portability/memory-portability.ts";
import { MemorySearch } from "./search/search-memory.ts";
import { MemoryRecord } from "./memory-writer.ts";
import { WholeItems } from "./whole-item.ts";
import { WriteLane } from "./write-lane.ts";

export interface MemoryParts {
  readonly store: Store;
  readonly workspaceDir: string;
  readonly lastEvent: EraseParts["lastEvent"];
  /** Left out where no embedding model is named. */
  readonly embedder?: TextVectors | undefined;
  readonly logger: Logger;
}

/** All of an engine's memory on its store. */
export interface Memory {
  readonly lane: WriteLane;
  readonly record: MemoryRecord;
  readonly search: MemorySearch;
  readonly whole: WholeItems;
  readonly lists: MemoryLists;
  readonly tables: LearningTables;
  readonly rights: MemoryRights;
  /** `reason`: what an import that is cut off by it is told. */
  close(reason: Error): Promise<void>;
}

/** Brings an erasure to its end that was cut off, before anything is read, and goes on with an import behind it. */
export async function openMemory({ store, workspaceDir, lastEvent, embedder, logger }: MemoryParts): Promise<Memory> {
  const lane = new WriteLane(store);
  const index = new FullTextIndex(store);
  const reindex = () => indexMissing(store, { lane, index });
  const rights = new MemoryRights({ store, workspaceDir, lane, reindex, lastEvent });
  if (await rights.finishErasure()) logger.warn("an erasure that was cut off has been brought to its end");
  void goOnImporting(rights, logger);
  const embeddings = embedder && new Embeddings({ store, lane, embedder, logger });
  return {
    lane,
    record: new MemoryRecord(store, index),
    search: new MemorySearch(store, embeddings?.near),
    whole: new WholeItems(store),
    lists: new MemoryLists(store),
    tables: learningTables(store),
    rights,
    async close(reason) {
      await rights.close(reason);
      await embeddings?.close();
    },
  };
}

/** With a file that a process before this one had read whole. */
async function goOnImporting(rights: MemoryRights, logger: Logger): Promise<void> {
  try {
    const done = await rights.resumeImport();
    if (done.kind === "done" && done.answer !== null) logger.warn(done.answer, "an import that was cut off is done");
  } catch (error) {
    logger.error({ err: error }, "an import that was cut off cannot go on now; the next start tries again");
  }
}
