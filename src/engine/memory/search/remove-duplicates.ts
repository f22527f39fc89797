import type { Candidate } from "./rank-candidates.ts";

/** Jaccard similarity of words from which two items are duplicates. */
const SAME = 0.9;

/** Drops every duplicate of a higher-ranked item. */
export function removeDuplicates<One extends Candidate>(candidates: readonly One[]): readonly One[] {
  const kept: One[] = [];
  for (const candidate of candidates) {
    const isRepeat = kept.some(
      ({ item, coverage }) =>
        item.kind === candidate.item.kind && jaccard(coverage.runs, candidate.coverage.runs) >= SAME,
    );
    if (!isRepeat) kept.push(candidate);
  }
  return kept;
}

function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  if (few.size < many.size * SAME || few.size === 0) return 0;
  let both = 0;
  for (const word of few) if (many.has(word)) both++;
  return both / (one.size + other.size - both);
}
