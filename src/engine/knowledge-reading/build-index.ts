import type { CountedVectors } from "../../contract/orchestrator/knowledge-order.ts";
import type { ReadDocument } from "../../contract/orchestrator/knowledge-passage.ts";
import { indexWords } from "../../shared/words/index-text.ts";
import { KNOWLEDGE_SCHEMA } from "../knowledge/knowledge-schema.ts";
import { Database } from "../store/database.ts";
import { countVectors } from "./count-vectors.ts";

/** A document with its path. */
export interface IndexedDocument extends ReadDocument {
  readonly path: string;
}

/** Writes documents into a file of a product's knowledge: a new one, or a copy of the version before. */
export class KnowledgeIndex implements Disposable {
  readonly #db: Database;

  /** Nothing is read of a file that is not complete, so it needs no journal. */
  constructor(file: string, { isNew }: { readonly isNew: boolean }) {
    this.#db = new Database(file);
    this.#db.exec("pragma journal_mode = off; pragma synchronous = off; pragma secure_delete = on");
    if (isNew) this.#db.exec(KNOWLEDGE_SCHEMA);
    this.#db.exec("begin");
  }

  /** Removes all documents but these. */
  keep(paths: ReadonlySet<string>): void {
    for (const { id, path } of this.#db.prepare("select id, path from documents").all())
      if (!paths.has(String(path))) this.#remove(Number(id));
  }

  add({ path, title, passages }: IndexedDocument): void {
    const { lastInsertRowid: document } = this.#db
      .prepare("insert into documents (path, title) values (?, ?)")
      .run(path, title);
    const passage = this.#db.prepare(
      `insert into passages (document, number, heading, line_from, line_to, page_from, page_to, text)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const index = this.#db.prepare(
      "insert into passage_index (rowid, title, above, heading, body) values (?, ?, ?, ?, ?)",
    );
    const name = distinct(`${title} ${path.replace(/\.[^./]+$/, "").replaceAll("/", " ")}`);
    for (const { number, heading, lines, pages, text } of passages) {
      const row = passage.run(
        document,
        number,
        JSON.stringify(heading),
        lines?.[0] ?? null,
        lines?.[1] ?? null,
        pages?.[0] ?? null,
        pages?.[1] ?? null,
        text,
      );
      // The first heading is mostly the title.
      const own = heading[0]?.toLowerCase() === title.toLowerCase() ? heading.slice(1) : heading;
      const above = distinct(own.slice(0, -1).join(" "));
      index.run(row.lastInsertRowid, name, above, distinct(own.at(-1) ?? ""), words(text));
    }
  }

  /** Says which vectors of kept documents it has. */
  finish(): CountedVectors {
    this.#db.exec("commit");
    return countVectors(this.#db);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #remove(document: number): void {
    const passages = "(select id from passages where document = ?)";
    for (const table of ["passage_vectors", "passage_signs"])
      this.#db.prepare(`delete from ${table} where passage in ${passages}`).run(document);
    this.#db.prepare(`delete from passage_index where rowid in ${passages}`).run(document);
    this.#db.prepare("delete from passages where document = ?").run(document);
    this.#db.prepare("delete from documents where id = ?").run(document);
  }
}

const words = (text: string): string => indexWords(text).join(" ");
const distinct = (text: string): string => [...new Set(indexWords(text))].join(" ");
