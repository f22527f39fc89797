import { DatabaseSync } from "node:sqlite";

/** What SQLite finds wrong with a store, or null. Its log is applied to it first. Takes time with its size. */
export function storeProblem(file: string): string | null {
  try {
    const db = new DatabaseSync(file);
    try {
      // The file may be hostile: its schema runs no functions with side effects.
      db.exec("pragma trusted_schema = off");
      const row = db.prepare("pragma integrity_check(1)").get();
      const result = String(row?.["integrity_check"]);
      return result === "ok" ? null : result;
    } finally {
      db.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
