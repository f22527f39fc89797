import type { Database } from "../store/database.ts";

/** Of the columns title, above, heading and body, in BM25. */
const WEIGHTS = "2.0, 1.0, 3.0, 1.0";
/** What FTS5 takes for the rarity of a term that more than half of the passages have. */
const LEAST_IDF = 1e-6;
/** The limit of a term's frequency in FTS5's BM25: k1 + 1. */
const MOST = 2.2;

/** The passages that have a term, and how much each is about it, by BM25 without the term's rarity. */
export class TermScores {
  readonly total: number;
  readonly #rows;
  readonly #count;
  readonly #exactCount;
  readonly #counts = new Map<string, number>();

  constructor(db: Database) {
    db.exec("create virtual table temp.vocabulary using fts5vocab (main, passage_index, row)");
    this.total = Number(db.prepare("select count(*) as passages from passages").get()?.["passages"]);
    this.#count = db.prepare("select doc from temp.vocabulary where term = ?");
    this.#exactCount = db.prepare("select count(*) as rows from passage_index where passage_index match ?");
    this.#rows = db.prepare(
      `select rowid as row, bm25(passage_index, ${WEIGHTS}) as score from passage_index where passage_index match ? limit ?`,
    );
  }

  /** In how many passages a term is, with those of deleted documents whose words are not merged away yet. */
  count(term: string): number {
    const known = this.#counts.get(term);
    if (known !== undefined) return known;
    const count = Math.min(Number(this.#count.get(term)?.["doc"] ?? 0), this.total);
    this.#counts.set(term, count);
    return count;
  }

  /** Inverse document frequency. */
  rarity(term: string): number {
    const count = this.count(term);
    return Math.log(1 + (this.total - count + 0.5) / (count + 0.5));
  }

  /** At most so many passages, with a value from 0 to 2.2. */
  read(term: string, limit: number): readonly (readonly [row: number, score: number])[] {
    if (this.count(term) === 0) return [];
    const match = `"${term}"`;
    const rows = this.#rows.all(match, limit);
    const count = rows.length < limit ? rows.length : Number(this.#exactCount.get(match)?.["rows"]);
    const idf = Math.max(LEAST_IDF, Math.log((this.total - count + 0.5) / (count + 0.5)));
    return rows.map(({ row, score }) => [Number(row), Math.min(MOST, -Number(score) / idf)] as const);
  }
}
