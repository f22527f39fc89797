import { type AskedWord, weightOf } from "./asked-words.ts";
import type { MemoryQuery } from "./memory-query.ts";
import type { Candidate } from "./rank-candidates.ts";

/** Calibrated on the development half of bench/memory: 89 of 100 answerable questions, and 18 of 100 others, lie above it. */
const ANSWER_THRESHOLD = 1.1;
/** For a question about what the assistant said. Without it, recall@5 of answers falls by 0.021. */
const REPLY_BONUS = 0.35;
/** Share of the question in one sentence. Recall for a message needs more. At 0.1, recall@5 of everyday questions falls by 0.11. */
const MIN_COVERAGE = { shown: 0.02, recall: 0.2 } as const;
/** Similarity of a vector from which an item is about the same in other words, and from which it is an answer. */
const MIN_Z_SCORE = { shown: 1.5, recall: 3, answers: 4.5 } as const;

/** Candidates about the subject of the question, whether they answer it or not: the verdict `touches`. */
export const related = (
  candidates: readonly Candidate[],
  { words }: MemoryQuery,
  how: keyof typeof MIN_COVERAGE,
): readonly Candidate[] =>
  withEvidence(
    candidates,
    ({ coverage, zScore }) => words.length === 0 || coverage.share >= MIN_COVERAGE[how] || zScore >= MIN_Z_SCORE[how],
  );

/**
 * Candidates that may answer the question: the verdict `answers`. None if too little of the question is matched: by the best
 * sentence of one item, and by all of them, since a word that nothing ever said comes near to asks for what is not there.
 */
export function answering(
  candidates: readonly Candidate[],
  query: MemoryQuery,
  asked: readonly AskedWord[],
): readonly Candidate[] {
  if (query.words.length === 0 || query.time !== null) return candidates;
  const shareOfBest = Math.max(0, ...candidates.map(({ coverage }) => coverage.share));
  const isAnswered =
    shareOfBest + sharedByAll(candidates, asked) + (query.about === "reply" ? REPLY_BONUS : 0) >= ANSWER_THRESHOLD;
  return isAnswered
    ? related(candidates, query, "shown")
    : candidates.filter(({ zScore }) => zScore >= MIN_Z_SCORE.answers);
}

/** Share of the question's words that any candidate matches. */
function sharedByAll(candidates: readonly Candidate[], asked: readonly AskedWord[]): number {
  if (weightOf(asked) === 0) return 0;
  const best = asked.map(({ word }) =>
    Math.max(0, ...candidates.map(({ coverage }) => coverage.matched.get(word) ?? 0)),
  );
  return best.reduce((sum, share) => sum + share, 0) / asked.length;
}

/** Matching candidates. The rounds that a matching fact was learned from match too, however they are worded. */
function withEvidence(
  candidates: readonly Candidate[],
  matches: (candidate: Candidate) => boolean,
): readonly Candidate[] {
  const matching = new Set(candidates.filter(matches));
  const sources = new Set([...matching].flatMap(({ item }) => (item.kind === "fact" ? item.evidence : [])));
  return candidates.filter((candidate) => matching.has(candidate) || sources.has(candidate.item.id));
}
