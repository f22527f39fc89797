import type { Candidate } from "./candidate.ts";
import type { MemoryQuery } from "./memory-query.ts";

/** Of what a question asks for, so much has to be in an item, and so much of it in one place. */
const LEAST_WHOLE = 0.3;
const LEAST_PLACE = 0.25;

export function isRelevant({ coverage }: Candidate, query: MemoryQuery): boolean {
  if (query.words.length === 0) return true;
  return coverage.whole >= LEAST_WHOLE && coverage.place >= LEAST_PLACE;
}
