import type { KnowledgeFound } from "../../contract/engine/knowledge-result.ts";
import { NearestItems } from "../memory/embeddings/nearest-items.ts";
import { NOTHING_NEAR, type Nearness } from "../memory/search/nearness.ts";
import { indexWords } from "../../shared/words/index-text.ts";
import { Database } from "../store/database.ts";
import { wordsOfBest } from "./expand-query.ts";
import { type FoundPassage, joinNeighbours } from "./join-neighbours.ts";
import { fuseNear } from "./fuse-near.ts";
import { lendScores } from "./lend-scores.ts";
import { PassageVectors } from "./passage-vectors.ts";
import { type WeighedWord, scorePassages } from "./score-passages.ts";
import { TermScores } from "./term-scores.ts";

/** Passages that are near to a query. */
export const NEAREST = 60;
/** Passages that lend each other of their scores. */
const CANDIDATES = 200;
/** The passages whose words are added to the query. */
const FEEDBACK = 5;
/** Passages that are read for a query, and for the added words: each costs microseconds, in the engine's only thread. */
const ROW_BUDGET = { query: 2000, added: 1000 } as const;
/** Of the best score. What has less is hardly about the query; of a passage that has only added words, more is asked. */
const LEAST_SCORE = { own: 0.3, added: 0.4 } as const;
/** Words of a query, the rarest first. */
const MAX_WORDS = 40;
/** Of a word's rarity: a user's words that the documents hardly use are rare without meaning much. */
const RARITY_POWER = 0.6;
/** A page of the file stays in the page cache, which all engines share. */
const MAPPED_BYTES = 256 * 1024 * 1024;

/** Searches a file of a product's knowledge, which never changes. */
export class KnowledgeSearch implements Disposable {
  readonly #db: Database;
  readonly #terms: TermScores;
  readonly #vectors: PassageVectors;
  readonly #nearest: NearestItems;
  readonly #documents;
  readonly #texts;
  readonly #found;

  constructor(file: string) {
    this.#db = new Database(file, { readOnly: true });
    this.#db.exec(`pragma mmap_size = ${MAPPED_BYTES}; pragma cache_size = -256; pragma temp_store = memory`);
    this.#terms = new TermScores(this.#db);
    this.#vectors = new PassageVectors(this.#db);
    this.#nearest = new NearestItems(this.#vectors);
    this.#documents = this.#db.prepare(
      "select id, document from passages where id in (select value from json_each(?))",
    );
    this.#texts = this.#db.prepare("select heading, text from passages where id = ?");
    this.#found = this.#db.prepare(
      `select path, title, number, heading, line_from, line_to, page_from, page_to, text
       from passages join documents on documents.id = passages.document where passages.id = ?`,
    );
  }

  /** Finds passages by vectors of a model. Null without vectors of it. */
  nearestOf(model: string): NearestItems | null {
    return this.#vectors.model === model ? this.#nearest : null;
  }

  /** The best passages for the words of the query and those that its best passages have, and what is near to it. Neighbours are one result. */
  search(query: string, limit: number, near: Nearness = NOTHING_NEAR): KnowledgeFound {
    const { own, scores } = this.#byWords(query);
    const fused = fuseNear(scores, near);
    const candidates = new Map(best(fused.scores, CANDIDATES));
    const ranked = lendScores(candidates, this.#documentsOf([...candidates.keys()]));
    const most = ranked[0]?.[1] ?? 0;
    const shown = ranked.filter(
      ([row, score]) => score >= LEAST_SCORE[own.has(row) || fused.near.has(row) ? "own" : "added"] * most,
    );
    const found = shown.slice(0, limit * 2).map(([row, score]) => this.#passage(row, score));
    return { results: joinNeighbours(found).slice(0, limit) };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  /** What each passage scores by words. `own`: passages that have words of the query itself. */
  #byWords(query: string) {
    const asked = this.#asked(query);
    const own = scorePassages(this.#terms, asked, ROW_BUDGET.query);
    const feedback = best(own, FEEDBACK).map(([row, score]) => ({ text: this.#text(row), score }));
    const added = wordsOfBest(this.#terms, { best: feedback, asked: new Set(asked.map(([word]) => word)) });
    const weighed = added.map(([word, weight]) => [word, weight * this.#rarity(word)] as const);
    return { own, scores: add(own, scorePassages(this.#terms, weighed, ROW_BUDGET.added)) };
  }

  /** The words of the query with what they weigh. */
  #asked(query: string): readonly WeighedWord[] {
    const words = [...new Set(indexWords(query))].map((word) => [word, this.#rarity(word)] as const);
    return words.sort(([, one], [, other]) => other - one).slice(0, MAX_WORDS);
  }

  #rarity(word: string): number {
    return this.#terms.rarity(word) ** RARITY_POWER;
  }

  #documentsOf(rows: readonly number[]): ReadonlyMap<number, number> {
    return new Map(this.#documents.all(JSON.stringify(rows)).map(({ id, document }) => [Number(id), Number(document)]));
  }

  #text(row: number): string {
    const { heading, text } = this.#texts.get(row) ?? {};
    return [...(JSON.parse(String(heading)) as string[]), String(text)].join("\n");
  }

  #passage(row: number, score: number): FoundPassage {
    const found = this.#found.get(row);
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

/** The highest scores. */
const best = (scores: ReadonlyMap<number, number>, count: number): (readonly [row: number, score: number])[] =>
  [...scores].sort(([, one], [, other]) => other - one).slice(0, count);

function add(one: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const sum = new Map(one);
  for (const [row, score] of other) sum.set(row, (sum.get(row) ?? 0) + score);
  return sum;
}
