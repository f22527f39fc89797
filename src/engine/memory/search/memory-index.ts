import type { Store } from "../../store/open-store.ts";
import type { IndexedItem, MemoryIndex } from "./indexed-item.ts";
import { type IndexRange, indexRow } from "./index-rows.ts";
import { indexWords } from "./index-text.ts";

export type { IndexedItem, MemoryIndex } from "./indexed-item.ts";

/**
 * The FTS5 index of rounds, facts and notes. A row is stored before it is indexed; triggers of the store remove it from
 * the index when it is deleted.
 */
export class FullTextIndex implements MemoryIndex {
  readonly #episode;
  readonly #fact;
  readonly #insert;
  readonly #delete;
  readonly #forget;

  constructor({ db }: Store) {
    this.#episode = db.prepare("select number from episodes where id = ?");
    this.#fact = db.prepare("select number from knowledge where id = ?");
    this.#insert = db.prepare("insert into memory_index (rowid, keys, title, body) values (?, ?, ?, ?)");
    this.#delete = db.prepare("delete from memory_index where rowid = ?");
    this.#forget = db.prepare("delete from memory_embeddings where item = ?");
  }

  put(item: IndexedItem): void {
    const number = this.#number(item.ref);
    if (number === undefined) throw new Error(`${item.ref} is not stored, and cannot be indexed`);
    this.#removeRows(item.ref, number);
    const row = indexRow(item.kind === "fact" && !item.live ? "closed_fact" : item.kind, number);
    this.#insert.run(row, words(item.keys), words(item.title), words(item.body));
  }

  remove(ref: string): void {
    const number = this.#number(ref);
    if (number !== undefined) this.#removeRows(ref, number);
  }

  #removeRows(ref: string, number: number): void {
    for (const range of rangesOf(ref)) {
      const row = indexRow(range, number);
      this.#delete.run(row);
      this.#forget.run(row);
    }
  }

  #number(ref: string): number | undefined {
    if (ref.startsWith(NOTE)) return Number(ref.slice(NOTE.length));
    const row = (ref.startsWith("kn_") ? this.#fact : this.#episode).get(ref);
    return row === undefined ? undefined : Number(row["number"]);
  }
}

const NOTE = "note:";

const rangesOf = (ref: string): readonly IndexRange[] =>
  ref.startsWith(NOTE) ? ["note"] : ref.startsWith("kn_") ? ["fact", "closed_fact"] : ["episode"];

const words = (text: string): string => indexWords(text).join(" ");
