import type { Candidate } from "./rank-candidates.ts";
import type { MemoryQuery } from "./memory-query.ts";

/** Calibrated on the development half of bench/memory: above it a question is more likely answered than not. */
const ANSWER_THRESHOLD = -0.07;
/** The best sentence counts twice. */
const COVERAGE_WEIGHT = 2;
/** For a question about what the assistant said. Without it, recall@5 of answers falls by 0.022. */
const REPLY_BONUS = 0.7;
/** Share of the question in one sentence. Recall for a message needs more. */
const MIN_COVERAGE = { shown: 0.1, recall: 0.2 } as const;
const MAX_CONSIDERED = 5;
/** Similarity of a vector from which an item means the same in other words. */
const MIN_Z_SCORE = 4.5;

/** Candidates about the subject of the question, whether they answer it or not: the verdict `touches`. */
export const related = (
  candidates: readonly Candidate[],
  { words }: MemoryQuery,
  how: keyof typeof MIN_COVERAGE,
): readonly Candidate[] =>
  withEvidence(
    candidates,
    ({ coverage, zScore }) => words.length === 0 || coverage.share >= MIN_COVERAGE[how] || zScore >= MIN_Z_SCORE,
  );

/**
 * Candidates that may answer the question: the verdict `answers`. None if the memory covers too little of the question.
 * `isKnown` says whether the user or anybody ever used a word. Without it, 83 of 100 unanswerable questions with no result
 * become 28.
 */
export function answering(
  candidates: readonly Candidate[],
  query: MemoryQuery,
  isKnown: (word: string, by: "anybody" | "user") => boolean,
): readonly Candidate[] {
  const { words, about, time } = query;
  if (words.length === 0 || time !== null) return candidates;
  const coverageOfBest = Math.max(0, ...candidates.slice(0, MAX_CONSIDERED).map(({ coverage }) => coverage.share));
  const unknown = (by: "anybody" | "user") => words.filter(({ word }) => !isKnown(word, by)).length / words.length;
  const missing = unknown(about === "self" ? "user" : "anybody") + unknown("anybody");
  const isAnswered =
    COVERAGE_WEIGHT * coverageOfBest - missing + (about === "reply" ? REPLY_BONUS : 0) >= ANSWER_THRESHOLD;
  return isAnswered ? related(candidates, query, "shown") : candidates.filter(({ zScore }) => zScore >= MIN_Z_SCORE);
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
