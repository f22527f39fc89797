import type { Candidate } from "./rank-candidates.ts";
import type { MemoryQuery } from "./memory-query.ts";

/** Calibrated on the development half of bench/memory: above it a question is more likely answered than not. */
const LEAST = -0.07;
/** The best sentence counts twice. */
const PLACE = 2;
/** For a question about what the assistant said. Without it, recall@5 of answers falls by 0.022. */
const REPLY = 0.7;
/** Share of the question in one sentence. Recall for a message needs more. */
const MIN_COVERAGE = { shown: 0.1, recall: 0.2 } as const;
const MAX_RANKED = 5;
/** Deviations of vector similarity above the mean: the same in other words. */
const NEAR = 4.5;

/** Candidates about the subject of the question, whether they answer it or not: the verdict `touches`. */
export const related = (
  candidates: readonly Candidate[],
  { words }: MemoryQuery,
  how: keyof typeof MIN_COVERAGE,
): readonly Candidate[] =>
  withEvidence(
    candidates,
    ({ coverage, lead }) => words.length === 0 || coverage.place >= MIN_COVERAGE[how] || lead >= NEAR,
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
  const place = Math.max(0, ...candidates.slice(0, MAX_RANKED).map(({ coverage }) => coverage.place));
  const unknown = (by: "anybody" | "user") => words.filter(({ word }) => !isKnown(word, by)).length / words.length;
  const missing = unknown(about === "self" ? "user" : "anybody") + unknown("anybody");
  const isAnswered = PLACE * place - missing + (about === "reply" ? REPLY : 0) >= LEAST;
  return isAnswered ? related(candidates, query, "shown") : candidates.filter(({ lead }) => lead >= NEAR);
}

/** If a fact bears on the question, so do the rounds it was learned from, however they are worded. */
function withEvidence(
  candidates: readonly Candidate[],
  bears: (candidate: Candidate) => boolean,
): readonly Candidate[] {
  const bearing = new Set(candidates.filter(bears));
  const sources = new Set([...bearing].flatMap(({ item }) => (item.kind === "fact" ? item.evidence : [])));
  return candidates.filter((candidate) => bearing.has(candidate) || sources.has(candidate.item.id));
}
