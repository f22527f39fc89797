import { type IndexRange, boundsOf, indexRow } from "./index-rows.ts";
import { Table } from "../../store/table.ts";

/** The FTS5 query for some words, and the weight of each. */
export interface LexicalPlan {
  /** Null if the index has none of the words. */
  readonly match: string | null;
  /** About how many rows match. */
  readonly rows: number;
  readonly total: number;
  /** Inverse document frequency by word. */
  readonly weights: ReadonlyMap<string, number>;
}

interface Sizes {
  readonly episode: number;
  readonly fact: number;
  readonly closed_fact: number;
  readonly note: number;
}

/** Rows counted for a word. The count of a more frequent word is estimated from the distance of its last rows. */
const MAX_COUNTED_ROWS = 600;
/** Rows that one query ranks; each costs about a microsecond. With 2000, no figure is better. */
const ROW_BUDGET = 1000;
const MAX_WORDS = 40;
/**
 * Added to the number of items: in a memory of a few items every word would seem frequent, and recall for a message would
 * find nothing. No figure: the benchmark has long histories only; `recall.test.ts` guards it.
 */
const IDF_SMOOTHING = 1000;
/** Words of a query that are counted: a query may have 10,000 characters. */
const MAX_COUNTED_WORDS = 120;
/** What they keep of an engine's memory: 0.12 MiB. */
const MAX_CACHED_COUNTS = 1000;

/**
 * Best matches by BM25. The rarest words of a question are queried first, as many as fit into the row budget: frequent
 * words add time and little else.
 */
export class LexicalSearch extends Table {
  readonly #best = this.db.prepare(
    `select rowid as row, bm25(memory_index) as score from memory_index
     where memory_index match ? and rowid between ? and ? order by score limit ?`,
  );
  readonly #count = this.db.prepare(
    `select count(*) as rows, min(row) as oldest, max(row) as newest from
     (select rowid as row from memory_index where memory_index match ? and rowid between ? and ?
      order by rowid desc limit ${MAX_COUNTED_ROWS})`,
  );
  readonly #sizes = this.db.prepare(
    `select coalesce((select max(number) from episodes), 0) as episode,
     coalesce((select max(number) from knowledge), 0) as fact, coalesce((select max(id) from working_memory), 0) as note`,
  );
  readonly #counts = new Map<string, { readonly rows: number; readonly total: number }>();

  plan(words: readonly string[]): LexicalPlan {
    const sizes = this.#tableSizes();
    const total = sizes.episode + sizes.fact + sizes.note;
    const counted = words.slice(0, MAX_COUNTED_WORDS).map((word) => ({ word, rows: this.#rows(word, sizes, total) }));
    const weights = new Map(
      counted.map(({ word, rows }) => [word, Math.log(1 + (total + IDF_SMOOTHING - rows + 0.5) / (rows + 0.5))]),
    );
    const known = counted
      .filter(({ rows }) => rows > 0)
      .sort((one, other) => one.rows - other.rows)
      .slice(0, MAX_WORDS);
    return { ...matchOf(known), total, weights };
  }

  /** Rows, the best first; `within` limits them to numbers of the range. */
  best(
    { match, rows }: LexicalPlan,
    { range, within, limit }: { range: IndexRange; within?: readonly [number, number]; limit: number },
  ): number[] {
    const size = this.#tableSizes()[range];
    const [first, last] = within ?? [1, size];
    if (match === null || size === 0 || last < first) return [];
    // If even the rarest word is too frequent, only the latest rows are ranked.
    const span = last - first + 1;
    const expected = (rows * span) / size;
    const from = expected > ROW_BUDGET ? Math.max(first, last - Math.ceil((span * ROW_BUDGET) / expected)) : first;
    return this.#best
      .all(match, indexRow(range, from), indexRow(range, last), limit)
      .map((found) => Number(found["row"]));
  }

  #tableSizes(): Sizes {
    const { episode, fact, note } = this.#sizes.get() as Record<"episode" | "fact" | "note", number>;
    return { episode, fact, closed_fact: fact, note };
  }

  /** Counts of 0 are not cached: the next item may have the word. */
  #rows(word: string, sizes: Sizes, total: number): number {
    const known = this.#counts.get(word);
    if (known !== undefined && total < known.total * 1.1 && total >= known.total) return known.rows;
    const rows =
      this.#rowsIn(word, "episode", sizes) + this.#rowsIn(word, "fact", sizes) + this.#rowsIn(word, "note", sizes);
    if (rows > 0) this.#cache(word, { rows, total });
    return rows;
  }

  #cache(word: string, count: { readonly rows: number; readonly total: number }): void {
    if (this.#counts.size >= MAX_CACHED_COUNTS) this.#counts.clear();
    this.#counts.set(word, count);
  }

  #rowsIn(word: string, range: IndexRange, sizes: Sizes): number {
    if (sizes[range] === 0) return 0;
    const found = this.#count.get(quoted(word), ...boundsOf(range)) as Record<"rows" | "oldest" | "newest", number>;
    if (found.rows < MAX_COUNTED_ROWS) return found.rows;
    const estimated = Math.round((found.rows * sizes[range]) / (found.newest - found.oldest + 1));
    return Math.max(found.rows, Math.min(sizes[range], estimated));
  }
}

/** Any of the rare words, or both of the two rarest if all are frequent. */
function matchOf(
  known: readonly { readonly word: string; readonly rows: number }[],
): Pick<LexicalPlan, "match" | "rows"> {
  const [rarest, second] = known;
  if (rarest === undefined) return { match: null, rows: 0 };
  let rows = 0;
  const taken = known.filter((one) => (rows + one.rows <= ROW_BUDGET ? (rows += one.rows) > 0 : false));
  if (taken.length > 0) return { match: taken.map(({ word }) => quoted(word)).join(" OR "), rows };
  const both = second === undefined ? [rarest] : [rarest, second];
  return { match: both.map(({ word }) => quoted(word)).join(" AND "), rows: rarest.rows };
}

const quoted = (word: string): string => `"${word}"`;
