import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ENGINE_MIGRATIONS } from "../../../migrations/engine/index.ts";

const LOCK_WAIT_MS = 2000;
const BUSY_WAIT_MS = 5000;

export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable";
}

export interface Store {
  readonly db: DatabaseSync;
  /** Runs in one transaction, kept whole or not at all; a `durable` one survives the machine's power too. Not re-entrant. */
  transaction<T>(work: () => T, how?: { readonly durable?: boolean }): T;
  close(): void;
}

/**
 * The engine's one SQLite file, in write-ahead mode: what is committed survives the process being killed at any
 * moment. A lock beside it keeps a second engine out; it ends with its process, however that dies.
 */
export function openStore(dataDir: string): Store {
  const lock = takeLock(join(dataDir, "engine.lock"));
  const file = join(dataDir, "engine.db");
  try {
    const db = openDatabase(file);
    const transaction = transactionsOf(db);
    migrate(db, transaction, file);
    return {
      db,
      transaction,
      close() {
        db.close();
        lock.close();
      },
    };
  } catch (error) {
    if (!(error instanceof Error) || !("errcode" in error)) throw error;
    throw new StoreUnusable(`${file} cannot be used: ${error.message}`, { cause: error });
  }
}

function openDatabase(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_WAIT_MS });
  db.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on");
  // Folding the log back into the file waits for the disk: every 32 MB instead of 4, so that few turns meet it.
  db.exec("pragma wal_autocheckpoint = 8000");
  return db;
}

function transactionsOf(db: DatabaseSync): Store["transaction"] {
  const [begin, commit] = [db.prepare("begin immediate"), db.prepare("commit")];
  return <T>(work: () => T, { durable = false } = {}): T => {
    if (durable) db.exec("pragma synchronous = full");
    try {
      begin.run();
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite may have undone it by itself: on a full disk it does.
      if (db.isTransaction) db.exec("rollback");
      throw error;
    } finally {
      if (durable) db.exec("pragma synchronous = normal");
    }
  };
}

function takeLock(file: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
    lock.exec("begin exclusive");
    return lock;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreUnusable(`another engine has ${file}, or it cannot be written (${why})`, { cause: error });
  }
}

function migrate(db: DatabaseSync, transaction: <T>(work: () => T) => T, file: string): void {
  const had = Number(db.prepare("pragma user_version").get()?.["user_version"]);
  if (had === ENGINE_MIGRATIONS.length) return;
  if (had > ENGINE_MIGRATIONS.length) throw new StoreUnusable(`${file} was written by a newer engine`);
  transaction(() => {
    for (const sql of ENGINE_MIGRATIONS.slice(had)) db.exec(sql);
    db.exec(`pragma user_version = ${ENGINE_MIGRATIONS.length}`);
  });
}
