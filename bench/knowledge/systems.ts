import { DatabaseSync } from "node:sqlite";
import type { IndexedDocument } from "../../src/engine/knowledge-reading/build-index.ts";

/** A result as the questions judge it. */
export interface Result {
  readonly path: string;
  readonly text: string;
}

export type Search = (question: string, limit: number) => readonly Result[] | Promise<readonly Result[]>;

/** The baseline: what SQLite does with the question's words and nothing else, over the same passages. */
export function openFts5(documents: readonly IndexedDocument[], { headings }: { readonly headings: boolean }) {
  const db = new DatabaseSync(":memory:");
  db.exec("create virtual table passages using fts5 (path unindexed, text, tokenize = 'porter unicode61')");
  const insert = db.prepare("insert into passages (path, text) values (?, ?)");
  for (const { path, title, passages } of documents)
    for (const { heading, text } of passages) insert.run(path, headings ? [title, ...heading, text].join("\n") : text);
  const select = db.prepare("select path, text from passages where passages match ? order by rank limit ?");
  const search: Search = (question, limit) => {
    const terms = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu));
    const match = [...terms].map((term) => `"${term}"`).join(" OR ");
    return select.all(match, limit).map(({ path, text }) => ({ path: String(path), text: String(text) }));
  };
  return { search, [Symbol.dispose]: () => db.close() };
}
