import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EMPTY_STORE, applyMigrations } from "../src/engine/store/new-store.ts";

/** The store that new engines begin with, in `folder`. It has the same bytes in every build. */
export function makeEmptyStore(folder: string): void {
  const db = new DatabaseSync(join(folder, EMPTY_STORE));
  try {
    db.exec("pragma journal_mode = wal; begin");
    applyMigrations(db, 0);
    db.exec("commit");
  } finally {
    db.close();
  }
}
