import { indexWords } from "../../shared/words/index-text.ts";
import type { WeighedWord } from "./score-passages.ts";
import type { TermScores } from "./term-scores.ts";

/** Words that are added. Without them, recall@5 falls by 0.09. */
const WORDS = 20;
/** What the best of them weighs, against a word of the query. */
const WEIGHT = 0.4;
/** In fewer passages a word finds nothing more. */
const LEAST_PASSAGES = 2;

interface Rated {
  readonly text: string;
  readonly score: number;
}

/**
 * Words that the best passages use where the query uses others, which find passages that the query alone does not
 * (pseudo-relevance feedback).
 */
export function wordsOfBest(
  terms: TermScores,
  { best, asked }: { readonly best: readonly Rated[]; readonly asked: ReadonlySet<string> },
): readonly WeighedWord[] {
  const sum = best.reduce((total, { score }) => total + score, 0) || 1;
  const weights = new Map<string, number>();
  for (const { text, score } of best) {
    const words = indexWords(text);
    for (const word of words)
      if (!asked.has(word)) weights.set(word, (weights.get(word) ?? 0) + score / sum / (words.length + 1));
  }
  const rated = [...weights]
    .filter(([word]) => terms.count(word) >= LEAST_PASSAGES)
    .map(([word, weight]) => [word, weight * terms.rarity(word)] as const)
    .sort(([, one], [, other]) => other - one)
    .slice(0, WORDS);
  const most = rated[0]?.[1] ?? 1;
  return rated.map(([word, value]) => [word, (WEIGHT * value) / most] as const);
}
