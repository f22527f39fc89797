import { DatabaseSync } from "node:sqlite";

const BUSY_WAIT_MS = 5000;

/** The store of an engine and its write-ahead log, in the order in which they are copied. */
export const STORE_FILES: readonly string[] = ["engine.db", "engine.db-wal"];

/**
 * Holds a read transaction on a store, also while its engine runs. Until `close`, no checkpoint writes pages that are
 * newer than it into the file, and the log keeps what the file lacks. So the file and then its log, copied byte by byte,
 * open as of the last transaction that was copied whole. Their descriptors may be closed only after `close`: closing one
 * drops the locks of this process. Throws for a damaged store.
 */
export function holdStore(file: string): { close(): void } {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_WAIT_MS });
  try {
    db.exec("begin");
    db.prepare("select count(*) from sqlite_schema").get();
  } catch (error) {
    db.close();
    throw error;
  }
  return { close: () => db.close() };
}
