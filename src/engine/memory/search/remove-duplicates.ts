import { wordRuns } from "../../../shared/words/index-text.ts";
import { MAX_TEXT_LENGTH } from "./coverage.ts";
import type { Candidate } from "./rank-candidates.ts";
import type { StoredItem } from "./stored-items.ts";

/** Jaccard similarity of words from which two items are duplicates. */
const DUPLICATE_SIMILARITY = 0.9;

/** The first `limit` candidates, without duplicates of higher-ranked ones: these say the same in the sentence that matters. */
export function withoutDuplicates<One extends Candidate>(candidates: readonly One[], limit: number): readonly One[] {
  const kept: One[] = [];
  const words = new Map<StoredItem, ReadonlySet<string>>();
  const wordsOf = (item: StoredItem): ReadonlySet<string> => {
    const known = words.get(item) ?? new Set(item.texts.flatMap((text) => wordRuns(text.slice(0, MAX_TEXT_LENGTH))));
    words.set(item, known);
    return known;
  };
  for (const candidate of candidates) {
    if (kept.length >= limit) break;
    const isRepeat = kept.some(
      ({ item, coverage }) =>
        item.kind === candidate.item.kind &&
        coverage.passage === candidate.coverage.passage &&
        jaccard(wordsOf(item), wordsOf(candidate.item)) >= DUPLICATE_SIMILARITY,
    );
    if (!isRepeat) kept.push(candidate);
  }
  return kept;
}

function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((word) => other.has(word)).length;
  return both / Math.max(1, one.size + other.size - both);
}
