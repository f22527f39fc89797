import type { Store } from "../../store/open-store.ts";
import { type AskedWord, askedWords } from "./asked-words.ts";
import { CompoundWords } from "./compound-words.ts";
import { GraphSearch, type GraphMatches } from "./graph-search.ts";
import { type IndexRange, type ItemKind, indexRow } from "./index-rows.ts";
import { type LexicalPlan, LexicalSearch } from "./lexical-search.ts";
import { type MemoryQuery, readQuery } from "./memory-query.ts";
import { type Candidate, fuse, rankCandidates } from "./rank-candidates.ts";
import { answering, related } from "./relevance.ts";
import { withoutDuplicates } from "./remove-duplicates.ts";
import { SoftSearch } from "./soft-search.ts";
import { NO_RELATED_WORDS, type RelatedWords } from "./related-words.ts";
import { type StoredItem, StoredItems } from "./stored-items.ts";
import { type TimeRange, reportedWithin } from "./time-range.ts";
import { NOTHING_NEAR, type Nearness, type VectorSearch } from "./nearness.ts";

export interface SearchRequest {
  /** Any text. */
  readonly query: string;
  readonly limit: number;
  /** Milliseconds since the epoch, as all times here. */
  readonly now: number;
  readonly kinds?: readonly ItemKind[];
  /** Bounds of the event time. */
  readonly from?: number;
  readonly to?: number;
  /** The state of knowledge at that time: facts closed since are found, later ones are not. */
  readonly asOf?: number;
  readonly withoutTurns?: ReadonlySet<string>;
  /** Only results with this verdict; both if undefined. */
  readonly bearing?: Bearing;
  /** Recall for a message instead of a search: a higher threshold, and no `answers` verdict. */
  readonly isRecall?: boolean;
}

/** Relevance verdict: `answers` if the memory seems to hold the answer, `touches` if the result only shares its subject. */
type Bearing = "answers" | "touches";

export interface MemoryHit extends StoredItem {
  readonly bearing: Bearing;
  readonly content: string;
  /** The sentence that covers most of the question. */
  readonly passage: string;
  readonly score: number;
}

/** A parsed question with its query plan. */
interface PlannedSearch {
  readonly request: SearchRequest;
  readonly query: MemoryQuery;
  readonly plan: LexicalPlan;
  readonly asked: readonly AskedWord[];
  readonly near: Nearness;
}

const LIST_LENGTH = 60;
/** Candidates that are read and ranked. With 16, recall@5 falls by 0.034. */
const MAX_RANKED = 24;
/** Nearest items that are ranked, wherever the other lists have them. */
const MAX_NEAREST = 12;

/**
 * Hybrid search over rounds, facts and notes. Full text, time, the social graph and vectors each give a list; rank
 * fusion merges them, and the best candidates are ranked by their text.
 */
export class MemorySearch {
  readonly #store: Store;
  readonly #items: StoredItems;
  readonly #lexical: LexicalSearch;
  readonly #soft: SoftSearch;
  readonly #compounds: CompoundWords;
  readonly #graph: GraphSearch;
  readonly #numbersWithin;
  readonly #nearest: VectorSearch;
  readonly #relatedWords: RelatedWords;

  /** `nearest` never rejects and has its own deadline. */
  constructor(
    store: Store,
    nearest: VectorSearch = () => Promise.resolve(NOTHING_NEAR),
    relatedWords = NO_RELATED_WORDS,
  ) {
    this.#store = store;
    this.#nearest = nearest;
    this.#relatedWords = relatedWords;
    this.#items = new StoredItems(store);
    this.#lexical = new LexicalSearch(store);
    this.#soft = new SoftSearch(store);
    this.#compounds = new CompoundWords(store);
    this.#graph = new GraphSearch(store, this.#items);
    this.#numbersWithin = this.#store.db.prepare(
      "select min(number) as first, max(number) as last from episodes where event_time >= ? and event_time < ?",
    );
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<readonly MemoryHit[]> {
    signal?.throwIfAborted();
    const query = readQuery(request.query, request.now);
    const near = await this.#nearest(request.query, LIST_LENGTH, signal);
    const graph = this.#graph.rows(query.phrases);
    const { words } = query;
    const plan = this.#lexical.plan([...words, ...query.optional]);
    const weights = new Map(words.map((word) => [word, plan.weights.get(word) ?? 0]));
    const planned: PlannedSearch = {
      request,
      query,
      plan,
      near,
      asked: askedWords(weights, this.#relatedWords(words), this.#compounds.partsOf(words)),
    };
    const candidates = this.#candidates(this.#lists(planned, graph), planned);
    const touches = new Set(related(candidates, query, request.isRecall === true ? "recall" : "shown"));
    // Related items answer a query that is not a question.
    const answers = query.asks ? new Set(answering(candidates, query, planned.asked)) : touches;
    const bearingOf = (candidate: Candidate): Bearing | null =>
      answers.has(candidate) && request.isRecall !== true ? "answers" : touches.has(candidate) ? "touches" : null;
    const found = candidates.flatMap((candidate) => {
      const bearing = bearingOf(candidate);
      return bearing === null || bearing !== (request.bearing ?? bearing) ? [] : { ...candidate, bearing };
    });
    return withoutDuplicates(found, request.limit).map(hitOf);
  }

  #lists({ request, query, plan, asked }: PlannedSearch, graph: GraphMatches): readonly (readonly number[])[] {
    const ranked = (range: IndexRange) => this.#lexical.best(plan, { range, limit: LIST_LENGTH });
    const facts = [...ranked("fact"), ...(query.asksPast || request.asOf !== undefined ? ranked("closed_fact") : [])];
    return [
      // Without it, 16 instead of 52 of 100 everyday questions find their answer.
      this.#soft.best(asked, LIST_LENGTH),
      ranked("episode"),
      facts,
      ranked("note"),
      unique(facts.flatMap((row) => this.#items.evidenceRows(row))),
      // Without the rounds of the asked time, recall@5 falls by 0.018.
      query.time === null ? [] : this.#inTime(plan, query, reportedWithin(query.time)),
      graph.named,
      graph.near,
    ];
  }

  #candidates(
    lists: readonly (readonly number[])[],
    { request, query, asked, near }: PlannedSearch,
  ): readonly Candidate[] {
    const scored = fuse([...lists, near.rows]);
    const best = [...scored].sort(([, one], [, other]) => other - one).map(([row]) => row);
    const kept = [...this.#admitted(best, MAX_RANKED, request), ...this.#admitted(near.rows, MAX_NEAREST, request)];
    const listed = new Map(
      kept.map((item) => [item.row, { item, score: scored.get(item.row) ?? 0, zScore: near.zScore(item.row) }]),
    );
    return rankCandidates([...listed.values()], { query, asked });
  }

  #admitted(rows: readonly number[], limit: number, request: SearchRequest): readonly StoredItem[] {
    const kept: StoredItem[] = [];
    for (const row of rows) {
      if (kept.length >= limit) break;
      const item = this.#items.read(row);
      if (item !== null && isAdmitted(item, request)) kept.push(item);
    }
    return kept;
  }

  /** Rounds of that time by BM25. The other rounds follow if the time is short or the question has no content words. */
  #inTime(plan: LexicalPlan, { words }: MemoryQuery, { from, to }: TimeRange): number[] {
    const { first, last } = this.#numbersWithin.get(from, to) as Record<"first" | "last", number | null>;
    if (first === null || last === null) return [];
    const found = this.#lexical.best(plan, { range: "episode", within: [first, last], limit: LIST_LENGTH });
    const count = last - first + 1;
    if (words.length > 0 && count > LIST_LENGTH / 2) return found;
    const others = Array.from({ length: Math.min(LIST_LENGTH, count) }, (_, index) =>
      indexRow("episode", last - index),
    );
    return unique([...found, ...others]);
  }
}

function isAdmitted(item: StoredItem, { kinds, from, to, asOf, withoutTurns }: SearchRequest): boolean {
  if (kinds !== undefined && !kinds.includes(item.kind)) return false;
  if (from !== undefined && item.eventTime < from) return false;
  if (to !== undefined && item.eventTime >= to) return false;
  if (asOf !== undefined && (item.createdAt > asOf || (item.recordedTo ?? Infinity) <= asOf)) return false;
  return item.turnId === null || withoutTurns?.has(item.turnId) !== true;
}

const hitOf = ({ item, coverage, score, bearing }: Candidate & { readonly bearing: Bearing }): MemoryHit => ({
  ...item,
  bearing,
  content: item.texts.join("\n\n"),
  passage: coverage.passage,
  score,
});

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];
