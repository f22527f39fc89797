import type { KnowledgeFound } from "../../contract/engine/knowledge-result.ts";
import { wordRuns, wordsOfRun } from "../../shared/words/index-text.ts";
import { isAskingWord } from "../../shared/words/stop-words.ts";
import { type AskedWord, askedWords } from "../memory/search/asked-words.ts";
import type { RelatedWords } from "../memory/search/related-words.ts";
import { Database } from "../store/database.ts";
import { type FoundPassage, joinNeighbours } from "./join-neighbours.ts";

/** Passages of each list that are compared. */
const CANDIDATES = 60;
/** A passage of rank n counts 1 / (RANK + n) in a list. */
const RANK = 20;
/** Words of a query, the rarest first. */
const MAX_WORDS = 40;
/** Of the columns title, heading and body, in BM25. */
const WEIGHTS = "2.0, 3.0, 1.0";
/** Passages that a list reads: each costs microseconds, in the engine's only thread. */
const ROW_BUDGET = 2500;
/** Passages that are read for a term; a term of more says little. */
const MAX_ROWS = { own: 600, related: 100 } as const;
/** A page of the file stays in the page cache, which all engines share. */
const MAPPED_BYTES = 256 * 1024 * 1024;

/** Searches a file of a product's knowledge, which never changes. */
export class KnowledgeSearch implements Disposable {
  readonly #db: Database;
  readonly #related: RelatedWords;
  readonly #total: number;

  constructor(file: string, related: RelatedWords) {
    this.#db = new Database(file, { readOnly: true });
    this.#related = related;
    this.#db.exec(`pragma mmap_size = ${MAPPED_BYTES}; pragma cache_size = -256; pragma temp_store = memory;
      create virtual table temp.vocabulary using fts5vocab (main, passage_index, row)`);
    this.#total = Number(this.#db.prepare("select count(*) as passages from passages").get()?.["passages"]);
  }

  /** The best passages by two lists: BM25, and the share of the query that a passage or its related words have. */
  search(query: string, limit: number): KnowledgeFound {
    const asked = this.#asked(query);
    if (asked.length === 0) return { results: [] };
    const scores = new Map<number, number>();
    for (const list of [this.#byWords(asked), this.#byRelated(asked)])
      for (const [at, row] of list.entries()) scores.set(row, (scores.get(row) ?? 0) + 1 / (RANK + at + 1));
    const best = [...scores].sort(([, one], [, other]) => other - one).slice(0, limit * 2);
    return { results: joinNeighbours(best.map(([row, score]) => this.#passage(row, score))).slice(0, limit) };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  /** The words of the query with what they weigh. Those that only ask count if there are no others. */
  #asked(query: string): readonly AskedWord[] {
    const runs = wordRuns(query);
    const content = runs.filter((run) => !isAskingWord(run));
    const words = [...new Set((content.length > 0 ? content : runs).flatMap(wordsOfRun))];
    const weights = words.map((word) => {
      const found = this.#rowsOf(word);
      return [word, Math.log(1 + (this.#total - found + 0.5) / (found + 0.5))] as const;
    });
    const rarest = weights.sort(([, one], [, other]) => other - one).slice(0, MAX_WORDS);
    return askedWords(new Map(rarest), this.#related(rarest.map(([word]) => word)));
  }

  #byWords(asked: readonly AskedWord[]): readonly number[] {
    const match = this.#rarest(asked)
      .map(({ word }) => `"${word}"`)
      .join(" OR ");
    return this.#db
      .prepare(
        `select rowid as row from passage_index where passage_index match ?
         order by bm25(passage_index, ${WEIGHTS}) limit ${CANDIDATES}`,
      )
      .all(match)
      .map(({ row }) => Number(row));
  }

  /** The rarest words that fit the budget, and at least one. The words come in this order. */
  #rarest(asked: readonly AskedWord[]): readonly AskedWord[] {
    let rows = 0;
    const fitting = asked.filter(({ word }) => {
      const found = this.#rowsOf(word);
      const fits = found > 0 && rows + found <= ROW_BUDGET;
      if (fits) rows += found;
      return fits;
    });
    return fitting.length > 0 ? fitting : asked.slice(0, 1);
  }

  #rowsOf(word: string): number {
    const { doc } = this.#db.prepare("select doc from temp.vocabulary where term = ?").get(word) ?? {};
    return Math.min(Number(doc ?? 0), this.#total);
  }

  #byRelated(asked: readonly AskedWord[]): readonly number[] {
    const rows = this.#db.prepare("select rowid as row from passage_index where passage_index match ? limit ?");
    const weights = new Map<number, number>();
    let left = ROW_BUDGET;
    // The word itself comes before related ones, which the budget may leave out.
    for (const { word, weight, matches } of asked) {
      const best = new Map<number, number>();
      for (const [term, share] of new Map([[word, 1], ...matches])) {
        const limit = Math.min(left, term === word ? MAX_ROWS.own : MAX_ROWS.related);
        const found = rows.all(`"${term}"`, limit);
        left -= found.length;
        for (const { row } of found) best.set(Number(row), Math.max(best.get(Number(row)) ?? 0, share));
      }
      for (const [row, share] of best) weights.set(row, (weights.get(row) ?? 0) + weight * share);
    }
    return [...weights]
      .sort(([, one], [, other]) => other - one)
      .slice(0, CANDIDATES)
      .map(([row]) => row);
  }

  #passage(row: number, score: number): FoundPassage {
    const found = this.#db
      .prepare(
        `select path, title, number, heading, line_from, line_to, page_from, page_to, text
         from passages join documents on documents.id = passages.document where passages.id = ?`,
      )
      .get(row);
    const range = (from: string, to: string): [number, number] | null => {
      const first = found?.[from] ?? null;
      return first === null ? null : [Number(first), Number(found?.[to])];
    };
    return {
      path: String(found?.["path"]),
      title: String(found?.["title"]),
      number: Number(found?.["number"]),
      heading: JSON.parse(String(found?.["heading"])) as string[],
      lines: range("line_from", "line_to"),
      pages: range("page_from", "page_to"),
      text: String(found?.["text"]),
      score,
    };
  }
}
