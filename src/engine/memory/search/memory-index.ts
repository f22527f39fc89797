import { Table } from "../../store/table.ts";
import { predicateHints } from "../predicates.ts";
import { type IndexRange, indexRow } from "./index-rows.ts";
import { indexWords } from "../../../shared/words/index-text.ts";

/** An entry of the full-text index. */
export interface IndexedItem {
  readonly range: IndexRange;
  /** The episode's or fact's id, or `note:` and the entry's number. */
  readonly ref: string;
  /** More terms to find it by: the facts of a round and the names in it. */
  readonly keys: string;
  readonly title: string;
  readonly body: string;
}

/** `keys`: the facts and names that learning found in the round. */
export const episodeItem = (
  { id, question, answer }: { readonly id: string; readonly question: string; readonly answer: string },
  keys = "",
): IndexedItem => ({ range: "episode", ref: id, keys, title: question, body: answer });

export const factItem = (
  fact: { readonly id: string; readonly subject: string; readonly predicate: string; readonly content: string },
  { isLive }: { readonly isLive: boolean },
): IndexedItem => ({
  range: isLive ? "fact" : "closed_fact",
  ref: fact.id,
  keys: predicateHints(fact.predicate),
  title: `${fact.subject} ${fact.predicate}`,
  body: fact.content,
});

export const noteItem = (number: number, content: string): IndexedItem => ({
  range: "note",
  ref: `${NOTE}${number}`,
  keys: "",
  title: "",
  body: content,
});

/**
 * The FTS5 index of rounds, facts and notes. A row is stored before it is indexed; triggers of the store remove it from
 * the index when it is deleted.
 */
export class FullTextIndex extends Table {
  readonly #episode = this.db.prepare("select number from episodes where id = ?");
  readonly #fact = this.db.prepare("select number from knowledge where id = ?");
  readonly #insert = this.db.prepare("insert into memory_index (rowid, keys, title, body) values (?, ?, ?, ?)");
  readonly #delete = this.db.prepare("delete from memory_index where rowid = ?");

  /** Replaces the entry of the same `ref`, within the caller's transaction. */
  put({ range, ref, keys, title, body }: IndexedItem): void {
    const number = this.#number(ref);
    if (number === undefined) throw new Error(`${ref} is not stored, and cannot be indexed`);
    for (const old of range.endsWith("fact") ? (["fact", "closed_fact"] as const) : [range])
      this.#delete.run(indexRow(old, number));
    this.#insert.run(indexRow(range, number), words(keys), words(title), words(body));
  }

  #number(ref: string): number | undefined {
    if (ref.startsWith(NOTE)) return Number(ref.slice(NOTE.length));
    const row = (ref.startsWith("kn_") ? this.#fact : this.#episode).get(ref);
    return row === undefined ? undefined : Number(row["number"]);
  }
}

const NOTE = "note:";

const words = (text: string): string => indexWords(text).join(" ");
