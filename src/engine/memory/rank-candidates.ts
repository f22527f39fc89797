import type { Candidate } from "./candidate.ts";
import { coverageOf } from "./coverage.ts";
import { fuse } from "./fusion.ts";
import { indexWords } from "./index-text.ts";
import { latestFirst } from "./latest-first.ts";
import type { LexicalPlan } from "./lexical-search.ts";
import type { MemoryQuery } from "./memory-query.ts";
import type { StoredItem } from "./stored-items.ts";

/** An item as far as the lists have it. */
export interface Listed {
  readonly item: StoredItem;
  readonly score: number;
  readonly lead: number;
}

export interface Asked {
  readonly query: MemoryQuery;
  readonly plan: LexicalPlan;
}

/** Weight of the ranking by best sentence against each other list. As one list of many: recall@5 falls by 0.009. */
const PLACE = 4;
/** For each further round of a conversation. Without it, recall@5 falls by 0.022. */
const TOLD = 0.88;
const LONGEST_ECHO = 200;

/** In order of how well they answer, by what they say and when. */
export function rankCandidates(listed: readonly Listed[], { query, plan }: Asked): readonly Candidate[] {
  const weights = new Map(query.words.map(({ word }) => [word, plan.weights.get(word) ?? 0]));
  const looked = listed.map((one) => ({ ...one, coverage: coverageOf(one.item, query, weights) }));
  const byPlace = looked
    .filter(({ coverage }) => coverage.place > 0)
    .sort((one, other) => other.coverage.place - one.coverage.place);
  const places = fuse([byPlace]);
  const ranked = looked.map((one) => ({ ...one, score: one.score + PLACE * (places.get(one) ?? 0) }));
  const spread = spreadOut(ranked.sort(byScore));
  const { echo = [], word = [] } = Object.groupBy(spread, ({ item }) => (echoes(item, query) ? "echo" : "word"));
  const ordered = query.asksPast || query.time !== null ? word : latestFirst(word, weights);
  const least = ordered.at(-1)?.score ?? Infinity;
  return [...ordered, ...echo.map((one) => ({ ...one, score: Math.min(one.score, least) }))];
}

/** A round that only asked the same holds every word of it, and most likely no answer. */
function echoes({ kind, texts }: StoredItem, { words, besides }: MemoryQuery): boolean {
  const asked = texts[0] ?? "";
  if (kind !== "episode" || asked.length > LONGEST_ECHO || !/[?？]\s*$/.test(asked)) return false;
  const query = new Set([...words.map(({ word }) => word), ...besides]);
  return indexWords(asked).every((word) => query.has(word));
}

const byScore = (one: Candidate, other: Candidate): number => other.score - one.score;

function spreadOut(candidates: readonly Candidate[]): readonly Candidate[] {
  const told = new Map<string, number>();
  return candidates
    .map((one) => {
      const conversation = `${one.item.taskId ?? ""} ${one.item.kind}`;
      const before = told.get(conversation) ?? 0;
      told.set(conversation, before + 1);
      return { ...one, score: one.score * TOLD ** before };
    })
    .sort(byScore);
}
