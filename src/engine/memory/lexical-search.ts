import type { Store } from "../store/open-store.ts";
import { type IndexRange, boundsOf } from "./index-rows.ts";

export interface RankedRow {
  readonly row: number;
  readonly score: number;
}

/** How many rows have a word, and of how many. */
export interface Frequency {
  readonly rows: number;
  readonly total: number;
}

/** Counting stops there: what is that frequent tells little, and is guessed from how far apart the last ones are. */
const COUNTED = 1000;
/** Rows that one search looks at, about; each costs a microsecond. */
const BUDGET = 4000;
const UNSEEN = 1000;
const KEPT_FREQUENCIES = 5000;
const MOST_WORDS = 40;

/**
 * Best matches by BM25, the keys of an item counting most and its body least. Words of a question are looked up rarest
 * first, and only as many as a few milliseconds bear: the frequent ones would add little but time.
 */
export class LexicalSearch {
  readonly #best;
  readonly #count;
  readonly #total;
  readonly #frequencies = new Map<string, Frequency>();

  constructor({ db }: Store) {
    this.#best = db.prepare(
      `select rowid as row, bm25(memory_index, 3.0, 2.0, 1.0) as score from memory_index
       where memory_index match ? and rowid between ? and ? order by score limit ?`,
    );
    this.#count = db.prepare(
      `select count(*) as rows, min(row) as oldest, max(row) as newest from
       (select rowid as row from memory_index where memory_index match ? and rowid between ? and ?
        order by rowid desc limit ${COUNTED})`,
    );
    this.#total = db.prepare(
      `select coalesce((select max(number) from episodes), 0) as episodes,
       coalesce((select max(number) from knowledge), 0) as facts, coalesce((select max(id) from working_memory), 0) as notes`,
    );
  }

  /** `rows`: within these alone. */
  best(
    words: readonly string[],
    { range, rows = boundsOf(range), limit }: { range: IndexRange; rows?: readonly [number, number]; limit: number },
  ): RankedRow[] {
    const match = this.#expression(words);
    if (match === null) return [];
    return this.#best
      .all(match, rows[0], rows[1], limit)
      .map((row) => ({ row: Number(row["row"]), score: -Number(row["score"]) }));
  }

  /** How much a word tells: what few items have tells much. */
  weight(word: string): number {
    const { rows, total } = this.frequency(word);
    // In a memory of a few items every word would seem frequent: it is taken for part of a larger one.
    return Math.log(1 + (total + UNSEEN - rows + 0.5) / (rows + 0.5));
  }

  frequency(word: string): Frequency {
    const { episodes, facts, notes } = this.#total.get() as Record<"episodes" | "facts" | "notes", number>;
    const total = episodes + facts + notes;
    const known = this.#frequencies.get(word);
    // A little out of date is no harm.
    if (known !== undefined && known.rows >= COUNTED && total < known.total * 1.1) return known;
    const frequency = { rows: this.#rows(word, "episode", episodes) + this.#rows(word, "fact", facts), total };
    if (this.#frequencies.size >= KEPT_FREQUENCIES) this.#frequencies.clear();
    this.#frequencies.set(word, frequency);
    return frequency;
  }

  #rows(word: string, range: IndexRange, total: number): number {
    if (total === 0) return 0;
    const found = this.#count.get(quoted(word), ...boundsOf(range)) as Record<"rows" | "oldest" | "newest", number>;
    if (found.rows < COUNTED) return found.rows;
    return Math.max(found.rows, Math.min(total, Math.round((found.rows * total) / (found.newest - found.oldest + 1))));
  }

  #expression(words: readonly string[]): string | null {
    const known = words
      .slice(0, 400)
      .map((word) => ({ word, rows: this.frequency(word).rows }))
      .filter(({ rows }) => rows > 0)
      .sort((one, other) => one.rows - other.rows)
      .slice(0, MOST_WORDS);
    const [rarest, second, third] = known;
    if (rarest === undefined) return null;
    let left = BUDGET;
    const taken = known.filter(({ rows }) => (left -= rows) >= 0);
    if (taken.length > 0) return taken.map(({ word }) => quoted(word)).join(" OR ");
    // Nothing but frequent words: what has several of them.
    if (second === undefined) return quoted(rarest.word);
    return [rarest, second, ...(third === undefined || second.rows < 2 * BUDGET ? [] : [third])]
      .map(({ word }) => quoted(word))
      .join(" AND ");
  }
}

const quoted = (word: string): string => `"${word}"`;
