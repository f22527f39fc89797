import type { Store } from "../store/open-store.ts";
import { KnowledgeTable } from "./knowledge.ts";
import { LearningBatchTable } from "./learning-batches.ts";
import { FullTextIndex } from "./search/memory-index.ts";
import { RoundsToLearn } from "./rounds-to-learn.ts";
import { SkillDraftTable } from "./skill-drafts.ts";
import { SocialGraph } from "./social-graph.ts";

/** The tables that learning reads and writes. */
export const learningTables = (store: Store) => ({
  rounds: new RoundsToLearn(store),
  knowledge: new KnowledgeTable(store),
  graph: new SocialGraph(store),
  batches: new LearningBatchTable(store),
  drafts: new SkillDraftTable(store),
  index: new FullTextIndex(store),
});
export type LearningTables = ReturnType<typeof learningTables>;
