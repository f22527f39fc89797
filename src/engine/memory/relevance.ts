import type { Candidate } from "./candidate.ts";
import type { MemoryQuery } from "./memory-query.ts";

/** Calibrated on the development half of bench/memory: above it, a question is more likely to have its answer here. */
const LEAST = -0.07;
/** For what the best of what was found speaks of in one place. */
const PLACE = 2;
/** Against the question: the share of what the one whose words it asks for never spoke of, and of what nobody did. */
const UNHEARD = 1;
const UNKNOWN = 1;
/** A time says where to look, and a short one pins it down; so does that it was the answer that was given. */
const SHORT_TIME = 2.5;
const TIME = 1;
const SHORT_MS = 45 * 86_400_000;
const REPLY = 0.7;
/** Of what the best speaks of, so much. */
const LEAST_SHARE = 0.25;
/**
 * Of a question, in one place: it is not answered by that. Whoever reads what was found, best first, is shown what
 * speaks of little of it too; whoever answers without having searched is shown what they do well to know.
 */
const TOUCHED = { shown: 0.1, worthKnowing: 0.2 } as const;
const LOOKED_AT = 5;
/** What lies so many deviations nearer than the rest says the like in other words. */
const NEAR = 4.5;

/** What speaks of something that the question speaks of, whether it holds the answer or not. */
export const touching = (
  candidates: readonly Candidate[],
  { words }: MemoryQuery,
  how: keyof typeof TOUCHED,
): readonly Candidate[] =>
  withEvidence(
    candidates,
    ({ coverage, lead }) => words.length === 0 || coverage.place >= TOUCHED[how] || lead >= NEAR,
  );

/**
 * What may answer the question: nothing, where the memory has too little of what it asks for. `isKnown` says whether
 * somebody ever used a word: who never spoke of a garden has not told when they planted it.
 */
export function answering(
  candidates: readonly Candidate[],
  query: MemoryQuery,
  isKnown: (word: string, by: "anybody" | "user") => boolean,
): readonly Candidate[] {
  const { words, about, time } = query;
  if (words.length === 0) return candidates;
  const best = candidates.slice(0, LOOKED_AT).map(({ coverage }) => coverage);
  const place = Math.max(0, ...best.map((one) => one.place));
  const whole = Math.max(0, ...best.map((one) => one.whole));
  const share = (by: "anybody" | "user") => words.filter(({ word }) => !isKnown(word, by)).length / words.length;
  const speaks =
    PLACE * place -
    UNHEARD * share(about === "self" ? "user" : "anybody") -
    UNKNOWN * share("anybody") +
    (time === null ? 0 : time.to - time.from <= SHORT_MS ? SHORT_TIME : TIME) +
    (about === "reply" ? REPLY : 0);
  if (speaks < LEAST) return candidates.filter(({ lead }) => lead >= NEAR);
  if (time !== null) return candidates;
  return withEvidence(candidates, ({ coverage, lead }) => coverage.whole >= whole * LEAST_SHARE || lead >= NEAR);
}

/** Where a fact bears on the question, so do the rounds it was learnt from, however they are worded. */
function withEvidence(
  candidates: readonly Candidate[],
  bears: (candidate: Candidate) => boolean,
): readonly Candidate[] {
  const bearing = new Set(candidates.filter(bears));
  const told = new Set([...bearing].flatMap(({ item }) => (item.kind === "fact" ? item.evidence : [])));
  return candidates.filter((candidate) => bearing.has(candidate) || told.has(candidate.item.id));
}
