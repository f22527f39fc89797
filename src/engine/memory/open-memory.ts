import { inBackground } from "../../shared/background.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Store } from "../store/open-store.ts";
import { Embeddings, type EmbeddingsStatus } from "./embeddings/embeddings.ts";
import type { TextEmbedder } from "./embeddings/text-embedder.ts";
import { KnowledgeTable } from "./knowledge.ts";
import { LearningBatchTable } from "./learning-batches.ts";
import { MemoryLists } from "./memory-lists.ts";
import { MemoryWriter } from "./memory-writer.ts";
import { MemoryPortability } from "./portability/memory-portability.ts";
import { ProfileFacts } from "./profile/profile-facts.ts";
import { ProfileTable } from "./profile/profile-table.ts";
import { RoundsToLearn } from "./rounds-to-learn.ts";
import { IndexMerging } from "./search/index-merging.ts";
import { indexMissing } from "./search/index-missing.ts";
import { FullTextIndex, factItem } from "./search/memory-index.ts";
import { openRelatedWords } from "./search/related-words.ts";
import { MemorySearch } from "./search/search-memory.ts";
import { FullItems } from "./search/stored-items.ts";
import { SkillDraftTable } from "./skill-drafts.ts";
import { SocialGraph } from "./social-graph.ts";
import { WriteLane } from "./write-lane.ts";

interface MemoryParts {
  readonly store: Store;
  readonly workspaceDir: string;
  /** Undefined without an embeddings endpoint. */
  readonly embedder?: TextEmbedder | undefined;
  /** The folder of related words; null without. */
  readonly wordVectors?: string | null;
  readonly logger: Logger;
}

/** The memory of an engine, on its store. */
export interface Memory {
  readonly lane: WriteLane;
  readonly writer: MemoryWriter;
  readonly search: MemorySearch;
  readonly fullItems: FullItems;
  readonly lists: MemoryLists;
  readonly tables: LearningTables;
  readonly portability: MemoryPortability;
  /** Null without an embeddings endpoint. */
  embeddings(): EmbeddingsStatus | null;
  /** Ends the validity of a fact. Idempotent. False when there is no such fact. */
  endFact(id: string): Promise<boolean>;
  /** `reason` is the error that the caller of a running import gets. */
  close(reason: Error): Promise<void>;
}

/** Finishes an interrupted erasure before anything is read, then continues an interrupted import in the background. */
export async function openMemory({
  store,
  workspaceDir,
  embedder,
  wordVectors = null,
  logger,
}: MemoryParts): Promise<Memory> {
  const lane = new WriteLane(store);
  const index = new FullTextIndex(store);
  const reindex = () => indexMissing(store, { lane, index });
  const embeddings = embedder && new Embeddings({ store, lane, embedder, logger });
  const merging = new IndexMerging({ store, lane, logger });
  const portability = new MemoryPortability({
    store,
    workspaceDir,
    lane,
    reindex,
    erased: () => embeddings?.erased(),
  });
  if (await portability.finishErasure()) logger.warn("finished an interrupted erasure");
  inBackground("memory import", continueImport(portability, logger));
  const tables = learningTables(store);
  return {
    lane,
    writer: new MemoryWriter(store, index),
    search: new MemorySearch(
      store,
      embeddings?.nearest,
      wordVectors === null ? undefined : openRelatedWords(wordVectors, logger),
    ),
    fullItems: new FullItems(store),
    lists: new MemoryLists(store),
    tables,
    portability,
    embeddings: () => embeddings?.status ?? null,
    endFact: (id) => lane.run(() => endFact(tables, id, Date.now())),
    async close(reason) {
      await portability.close(reason);
      await embeddings?.close();
      await merging.close();
    },
  };
}

/** Ends the validity of a fact, within the caller's transaction. */
export function endFact(
  { knowledge, index }: Pick<LearningTables, "knowledge" | "index">,
  id: string,
  now: number,
): boolean {
  const fact = knowledge.find(id);
  if (fact === null) return false;
  const end = { validTo: Math.max(now, fact.validFrom ?? now), recordedTo: now, supersededBy: null };
  if (knowledge.close(id, end)) index.put(factItem(fact, { isLive: false }));
  return true;
}

async function continueImport(portability: MemoryPortability, logger: Logger): Promise<void> {
  try {
    const resumed = await portability.resumeImport();
    if (resumed.kind === "done" && resumed.answer !== null)
      logger.warn(resumed.answer, "finished an interrupted import");
  } catch (error) {
    logger.error({ err: error }, "failed to continue an interrupted import; the next start retries");
  }
}

/** The tables that learning reads and writes. */
export const learningTables = (store: Store) => ({
  rounds: new RoundsToLearn(store),
  knowledge: new KnowledgeTable(store),
  graph: new SocialGraph(store),
  batches: new LearningBatchTable(store),
  drafts: new SkillDraftTable(store),
  profile: new ProfileTable(store),
  profileFacts: new ProfileFacts(store),
  index: new FullTextIndex(store),
});
export type LearningTables = ReturnType<typeof learningTables>;
