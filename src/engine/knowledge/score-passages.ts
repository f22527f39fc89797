import type { TermScores } from "./term-scores.ts";

/** A word of a query and what it weighs. */
export type WeighedWord = readonly [word: string, weight: number];

/**
 * The sum of BM25 over some words, by passage. Words that weigh most are read first; one that does not fit the budget, in
 * passages, is left out.
 */
export function scorePassages(
  terms: TermScores,
  words: readonly WeighedWord[],
  budget: number,
): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  let left = budget;
  for (const [at, [word, weight]] of words.toSorted(byWeight).entries()) {
    if (terms.count(word) > left && at > 0) continue;
    const rows = terms.read(word, left);
    left -= rows.length;
    for (const [row, score] of rows) scores.set(row, (scores.get(row) ?? 0) + weight * score);
  }
  return scores;
}

const byWeight = ([, one]: WeighedWord, [, other]: WeighedWord): number => other - one;
