import type { Store } from "../../store/open-store.ts";
import { fuse } from "./fusion.ts";
import { GraphList, type NamedRows } from "./graph-list.ts";
import { type IndexRange, indexRow } from "./index-rows.ts";
import { indexWords } from "./index-text.ts";
import type { IndexedItem } from "./indexed-item.ts";
import { type LexicalPlan, LexicalSearch } from "./lexical-search.ts";
import { type MemoryQuery, readQuery } from "./memory-query.ts";
import { type Candidate, type Listed, rankCandidates } from "./rank-candidates.ts";
import { answering, touching } from "./relevance.ts";
import { type StoredItem, StoredItems } from "./stored-items.ts";
import type { NearText } from "./vectors.ts";
import { type TimeRange, toldWithin } from "./time-range.ts";
import { withoutRepeats } from "./without-repeats.ts";

export interface SearchRequest {
  /** Anything at all: it is data. */
  readonly query: string;
  readonly limit: number;
  /** Milliseconds since the epoch, as all times here. */
  readonly now: number;
  readonly kinds?: readonly IndexedItem["kind"][];
  /** What happened before or after is left out. */
  readonly from?: number;
  readonly to?: number;
  /** As it was believed then: facts closed since are found, those that came later are not. */
  readonly asOf?: number;
  readonly withoutTurns?: ReadonlySet<string>;
  /** Only what bears so on it; both if left out. */
  readonly bearing?: Bearing;
  /** Nobody searches: what touches a message closely enough to be shown unasked, and no verdict. */
  readonly unasked?: boolean;
}

/** `answers`: the memory seems to have the answer, and this is of it. `touches`: it speaks of what is asked about. */
export type Bearing = "answers" | "touches";

export interface MemoryHit {
  readonly id: string;
  readonly kind: IndexedItem["kind"];
  readonly bearing: Bearing;
  readonly key: string;
  readonly content: string;
  /** Where in it most of what was asked for stands together. */
  readonly passage: string;
  readonly score: number;
  readonly source: string;
  readonly trust: number;
  readonly createdAt: number;
  readonly eventTime: number;
  /** When it was said; of a fact, last said. */
  readonly toldAt: number;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  /** The episodes it comes from. */
  readonly evidence: readonly string[];
  readonly turnId: string | null;
}

/** A question, and what is known of it before anything is looked at. */
interface Sought {
  readonly request: SearchRequest;
  readonly query: MemoryQuery;
  readonly plan: LexicalPlan;
  /** By row: how near it lies, where there are vectors. */
  readonly leads: ReadonlyMap<number, number>;
}

const LISTED = 60;
/** What lies nearer than chance would have it. */
const AHEAD = 2;
const LOOKED_AT = 24;

/**
 * Finds what was said and learnt. Several ways of looking each make a list: the words of rounds and of facts, the time
 * that is asked for, whom it names, and what stands close together; what stands high in several comes first. A question
 * about something that was never said has nothing that answers it.
 */
export class MemorySearch {
  readonly #store: Store;
  readonly #items: StoredItems;
  readonly #lexical: LexicalSearch;
  readonly #graph: GraphList;
  readonly #span;
  readonly #near: NearText;

  /** `near`: what lies nearest to a text, where there are vectors. It never throws, and keeps a deadline of its own. */
  constructor(store: Store, near: NearText = () => Promise.resolve([])) {
    this.#store = store;
    this.#near = near;
    this.#items = new StoredItems(store);
    this.#lexical = new LexicalSearch(store);
    this.#graph = new GraphList(store, this.#items);
    this.#span = this.#store.db.prepare(
      "select min(number) as first, max(number) as last from episodes where event_time >= ? and event_time < ?",
    );
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<readonly MemoryHit[]> {
    signal?.throwIfAborted();
    const query = readQuery(request.query, request.now);
    const near = await this.#near(request.query, LISTED, signal);
    const graph = this.#graph.rows(query.phrases);
    const sought: Sought = {
      request,
      query,
      plan: this.#lexical.plan([...query.words.map(({ word }) => word), ...query.besides]),
      leads: new Map(near.map(({ row, lead }) => [row, lead])),
    };
    const candidates = this.#candidates(this.#lists(sought, graph), sought);
    const names = new Set(graph.names.flatMap((name) => indexWords(name)));
    const isKnown = (word: string, by: "anybody" | "user") => names.has(word) || this.#lexical.isKnown(word, by);
    const touches = new Set(touching(candidates, query, request.unasked === true ? "worthKnowing" : "shown"));
    // What asks nothing has no answer: what it names is all there is to find.
    const answers = query.asks ? new Set(answering(candidates, query, isKnown)) : touches;
    const bearingOf = (candidate: Candidate): Bearing | null =>
      answers.has(candidate) && request.unasked !== true ? "answers" : touches.has(candidate) ? "touches" : null;
    const found = candidates.flatMap((candidate) => {
      const bearing = bearingOf(candidate);
      return bearing === null || bearing !== (request.bearing ?? bearing) ? [] : { ...candidate, bearing };
    });
    return withoutRepeats(found).slice(0, request.limit).map(hitOf);
  }

  #lists({ request, query, plan, leads }: Sought, graph: NamedRows): readonly (readonly number[])[] {
    const ranked = (range: IndexRange) => this.#lexical.best(plan, { range, limit: LISTED });
    const facts = [...ranked("fact"), ...(query.asksPast || request.asOf !== undefined ? ranked("closed_fact") : [])];
    return [
      ranked("episode"),
      facts,
      ranked("note"),
      unique(facts.flatMap((row) => this.#items.evidenceRows(row))),
      // Without the rounds of the asked time, recall@5 falls by 0.028.
      query.time === null ? [] : this.#inTime(plan, query, toldWithin(query.time)),
      [...leads].flatMap(([row, lead]) => (lead >= AHEAD ? row : [])),
      graph.named,
      graph.near,
    ];
  }

  #candidates(lists: readonly (readonly number[])[], { request, query, plan, leads }: Sought): readonly Candidate[] {
    const scored = [...fuse(lists)].sort(([, one], [, other]) => other - one);
    const kept: Listed[] = [];
    for (const [row, score] of scored) {
      if (kept.length >= LOOKED_AT) break;
      const item = this.#items.read(row);
      if (item !== null && isAdmitted(item, request)) kept.push({ item, score, lead: leads.get(row) ?? 0 });
    }
    return rankCandidates(kept, { query, plan });
  }

  /** Rounds of that time, by what they say; then, where the time is short or nothing else is asked for, the others. */
  #inTime(plan: LexicalPlan, { words }: MemoryQuery, { from, to }: TimeRange): number[] {
    const { first, last } = this.#span.get(from, to) as Record<"first" | "last", number | null>;
    if (first === null || last === null) return [];
    const found = this.#lexical.best(plan, { range: "episode", within: [first, last], limit: LISTED });
    const count = last - first + 1;
    if (words.length > 0 && count > LISTED / 2) return found;
    const others = Array.from({ length: Math.min(LISTED, count) }, (_, index) => indexRow("episode", last - index));
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

function hitOf({ item, coverage, score, bearing }: Candidate & { readonly bearing: Bearing }): MemoryHit {
  const { id, kind, key, texts, source, trust, createdAt, eventTime, toldAt, validFrom, validTo, evidence, turnId } =
    item;
  return {
    id,
    kind,
    bearing,
    key,
    content: texts.join("\n\n"),
    passage: coverage.passage,
    score,
    source,
    trust,
    createdAt,
    eventTime,
    toldAt,
    validFrom,
    validTo,
    evidence,
    turnId,
  };
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];
