import type { KnowledgeTable } from "./knowledge.ts";
import { type FullTextIndex, factItem } from "./search/memory-index.ts";
import type { WriteLane } from "./write-lane.ts";

export interface EndFactParts {
  readonly knowledge: KnowledgeTable;
  readonly index: FullTextIndex;
  readonly lane: WriteLane;
}

/** Ends the validity of a fact. Idempotent. False when there is no such fact. */
export const endFact = ({ knowledge, index, lane }: EndFactParts, id: string, now: number): Promise<boolean> =>
  lane.run(() => {
    const fact = knowledge.find(id);
    if (fact === null) return false;
    const end = { validTo: Math.max(now, fact.validFrom ?? now), recordedTo: now, supersededBy: null };
    if (knowledge.close(id, end)) index.put(factItem(fact, { isLive: false }));
    return true;
  });
