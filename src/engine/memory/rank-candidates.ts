import type { Candidate } from "./candidate.ts";
import { coverageOf } from "./coverage.ts";
import { fuse } from "./fusion.ts";
import { indexWords } from "./index-text.ts";
import { latestFirst } from "./latest-first.ts";
import type { LexicalPlan } from "./lexical-search.ts";
import type { MemoryQuery } from "./memory-query.ts";
import type { StoredItem } from "./stored-items.ts";
import { isWithin } from "./time-range.ts";

/** An item as far as the lists have it. */
export interface Listed {
  readonly item: StoredItem;
  readonly score: number;
  readonly lead: number;
}

export interface Asked {
  readonly query: MemoryQuery;
  readonly plan: LexicalPlan;
  readonly now: number;
}

/** Against each list: how much of the question stands together in one place says more than how often its words come. */
const PLACE = 4;
/** What a conversation has told in one round already is told less by the next. */
const TOLD = 0.88;
const LONGEST_ECHO = 200;
const DAY = 86_400_000;

/** In order of how well they answer, by what they say and when. */
export function rankCandidates(listed: readonly Listed[], { query, plan, now }: Asked): readonly Candidate[] {
  const weights = new Map(query.words.map(({ word }) => [word, plan.weights.get(word) ?? 0]));
  const looked = listed.map((one) => ({ ...one, coverage: coverageOf(one.item, query, weights) }));
  const byPlace = looked
    .filter(({ coverage }) => coverage.place > 0)
    .sort((one, other) => other.coverage.place - one.coverage.place);
  const places = fuse([{ items: byPlace, weight: PLACE }]);
  const ranked = looked.map((one) => ({
    ...one,
    score: (one.score + (places.get(one) ?? 0)) * boost(one.item, query, now),
  }));
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

/** Small: what decides is what it says. */
function boost({ eventTime, importance, trust }: StoredItem, { time }: MemoryQuery, now: number): number {
  const age = Math.max(0, now - eventTime) / DAY;
  const inTime = time !== null && isWithin(eventTime, time) ? 0.15 : 0;
  return 1 + 0.03 * 0.995 ** age + (0.03 * importance) / 10 + (0.02 * trust) / 3 + inTime;
}
