import { Database } from "./database.ts";

/** Weight of a word in the first column, the second and so on. */
export type ColumnWeights = readonly [number, ...number[]];

/**
 * The documents that contain some of the words, the best first (BM25), as their positions. Each document is a list of
 * columns of words. The full-text index is in memory and lives as long as the call: a search of 500 documents takes
 * some 5 ms, and an engine that does not search holds nothing.
 */
export function rankByWords(
  documents: readonly (readonly (readonly string[])[])[],
  {
    words,
    weights,
    limit,
  }: { readonly words: readonly string[]; readonly weights: ColumnWeights; readonly limit: number },
): readonly number[] {
  if (words.length === 0 || documents.length === 0) return [];
  const columns = weights.map((_, at) => `c${at}`).join(", ");
  const db = new Database(":memory:");
  try {
    db.exec(`create virtual table documents using fts5 (${columns}, tokenize='ascii'); begin`);
    const insert = db.prepare(
      `insert into documents (rowid, ${columns}) values (?, ${weights.map(() => "?").join(", ")})`,
    );
    for (const [at, document] of documents.entries())
      insert.run(at, ...weights.map((_, column) => (document[column] ?? []).join(" ")));
    const query = [...new Set(words)].map((word) => `"${word.replaceAll('"', '""')}"`).join(" OR ");
    return db
      .prepare(
        `select rowid from documents where documents match ? order by bm25(documents, ${weights.join(", ")}), rowid
         limit ?`,
      )
      .all(query, limit)
      .map(({ rowid }) => Number(rowid));
  } finally {
    db.close();
  }
}
