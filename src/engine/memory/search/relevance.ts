import { type AskedWord, weightOf } from "./asked-words.ts";
import type { MemoryQuery } from "./memory-query.ts";
import type { Candidate } from "./rank-candidates.ts";

/** Calibrated on the development half of bench/memory: 89 of 100 answerable questions, and 18 of 100 others, lie above it. */
const ANSWER_THRESHOLD = 1.1;
/**
 * Standard deviations by which the nearest item is above the tenth, from which it is an answer in other words. Calibrated there with a
 * small model, so that none of 28 questions without an answer gets one by it alone. Of everyday ones with an answer 15 of 56 do.
 */
const ANSWER_LEAD = 2;
/** Not the second: what is known is often told several times, and learned as facts too. */
const COMPARED_PLACE = 10;
/** For a question about what the assistant said. Without it, recall@5 of answers falls by 0.021. */
const REPLY_BONUS = 0.35;
/** Share of the question in one sentence. Recall for a message needs more. At 0.1, recall@5 of everyday questions falls by 0.11. */
const MIN_COVERAGE = { shown: 0.02, recall: 0.2 } as const;
/** Similarity of a vector from which an item is about the same in other words. */
const MIN_Z_SCORE = { shown: 1.5, recall: 3 } as const;

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
 * sentence of one item, and by all of them, since a word that nothing ever said comes near to asks for what is not there. With
 * vectors, one that is much nearer than the others is enough.
 */
export function answering(
  candidates: readonly Candidate[],
  query: MemoryQuery,
  asked: readonly AskedWord[],
): readonly Candidate[] {
  if (query.words.length === 0 || query.time !== null) return candidates;
  const shareOfBest = Math.max(0, ...candidates.map(({ coverage }) => coverage.share));
  const matched = shareOfBest + sharedByAll(candidates, asked) + (query.about === "reply" ? REPLY_BONUS : 0);
  const isAnswered = matched >= ANSWER_THRESHOLD || leadOfNearest(candidates) >= ANSWER_LEAD;
  return isAnswered ? related(candidates, query, "shown") : [];
}

/** How far the nearest item is above the tenth, or the last of fewer; 0 without vectors. */
function leadOfNearest(candidates: readonly Candidate[]): number {
  const scores = candidates.map(({ zScore }) => zScore).sort((one, other) => other - one);
  return (scores[0] ?? 0) - (scores[COMPARED_PLACE - 1] ?? scores.at(-1) ?? 0);
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
