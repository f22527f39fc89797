import type { Candidate } from "./candidate.ts";

/** Among so many of the first. */
const COMPARED = 5;
const AS_GOOD = 0.7;
const AS_MUCH = 0.8;

/** Of those that speak of the same, whatever was said later comes before what was said earlier: it may have changed. */
export function latestFirst(
  candidates: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
): readonly Candidate[] {
  const first: Candidate[] = [];
  for (const candidate of candidates.slice(0, COMPARED)) {
    const at = first.findIndex((other) => replaces(candidate, other, weights));
    first.splice(at === -1 ? first.length : at, 0, candidate);
  }
  // A score says nothing but the order.
  return [...first, ...candidates.slice(COMPARED)].map((one, at) => ({ ...one, score: candidates[at]?.score ?? 0 }));
}

function replaces(one: Candidate, other: Candidate, weights: ReadonlyMap<string, number>): boolean {
  if (one.item.toldAt <= other.item.toldAt || one.coverage.place < other.coverage.place * AS_GOOD) return false;
  let all = 0;
  let both = 0;
  for (const word of other.coverage.found) {
    const weight = weights.get(word) ?? 0;
    all += weight;
    if (one.coverage.found.has(word)) both += weight;
  }
  return all > 0 && both >= all * AS_MUCH;
}
