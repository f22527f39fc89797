import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { ENGINE_MIGRATIONS } from "../../../migrations/engine/index.ts";
import { Database, isDamage } from "./database.ts";
import { EngineState, ResetNotice } from "./engine-state.ts";
import { applyMigrations, copyEmptyStore } from "./new-store.ts";
import { DATABASE, type Damage, markDamaged, readMark, removeMark, setAside } from "./set-aside.ts";
import { StoreUnusable, storeUnusable } from "./store-unusable.ts";
import { WalCheckpointer } from "./wal-checkpointer.ts";

const LOCK = "engine.lock";
const LOCK_WAIT_MS = 2000;
const BUSY_WAIT_MS = 5000;
/** Page cache of a reader, in KiB: it scans everything once. */
const READER_CACHE = 512;
/** An isolated engine may write no temporary file: a large transaction, such as an erasure, would fail. */
const TEMPORARY = "pragma temp_store = memory";

export interface Store {
  readonly dataDir: string;
  readonly db: Database;
  /** Runs `work` in one transaction. A `durable` one also survives a power failure. Not re-entrant. */
  transaction<T>(work: () => T, options?: { readonly durable?: boolean }): T;
  readonly state: EngineState;
  readonly reset: ResetNotice;
  /** Resolves when a statement finds the file damaged. The file is marked, and the next start moves it aside. */
  readonly damaged: Promise<Error>;
  /** Runs a WAL checkpoint: for bulk writers, every few megabytes. */
  checkpoint(): Promise<void>;
  /** Opens a read-only connection for a long snapshot. The caller closes it. */
  reader(): Database;
  close(): void;
}

/**
 * Opens the engine's SQLite file in WAL mode: what is committed survives a kill of the process. A lock file, released
 * with the process, excludes a second engine. A damaged file is moved aside and replaced. The time to open does not
 * depend on the size of the data. A new one begins as a copy of that in the folder `emptyStores`. Throws `StoreUnusable`.
 */
export function openStore(dataDir: string, { emptyStores }: { readonly emptyStores?: string } = {}): Store {
  const isFirst = !existsSync(join(dataDir, LOCK));
  const lock = takeLock(join(dataDir, LOCK));
  const file = join(dataDir, DATABASE);
  try {
    // While the lock is held: nobody else makes the file meanwhile.
    if (emptyStores !== undefined) copyEmptyStore(file, emptyStores);
    const { db, isNew } = openSound(dataDir, { isFirst });
    const state = new EngineState({ db });
    const damaged = Promise.withResolvers<Error>();
    let isMarked = false;
    const onDamage = (error: Error) => {
      if (isMarked) return;
      isMarked = true;
      damaged.resolve(error);
      markDamaged(dataDir, { at: Date.now(), reason: error.message });
    };
    db.watchDamage(onDamage);
    const checkpointer = new WalCheckpointer(db, file);
    return {
      dataDir,
      db,
      transaction: transactionsOf(db, () => checkpointer.committed()),
      state,
      reset: new ResetNotice(state, { dataDir, isNew }),
      damaged: damaged.promise,
      checkpoint: () => checkpointer.checkpoint(),
      reader() {
        const reader = new Database(file, { readOnly: true, timeout: BUSY_WAIT_MS });
        reader.watchDamage(onDamage);
        reader.exec(`pragma cache_size = -${READER_CACHE}; ${TEMPORARY}`);
        return reader;
      },
      close() {
        checkpointer.close();
        db.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw storeUnusable(error, file);
  }
}

function openSound(
  dataDir: string,
  { isFirst }: { readonly isFirst: boolean },
): { readonly db: Database; readonly isNew: boolean } {
  const file = join(dataDir, DATABASE);
  const known = readMark(dataDir) ?? emptied(file, { isFirst });
  if (known !== null) return { db: replace(dataDir, known), isNew: true };
  try {
    return { db: openDatabase(file), isNew: false };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { db: replace(dataDir, { at: Date.now(), reason: error.message }), isNew: true };
  }
}

/** An opened database is never empty, so an empty file has lost its data. */
const emptied = (file: string, { isFirst }: { readonly isFirst: boolean }): Damage | null =>
  !isFirst && existsSync(file) && statSync(file).size === 0 ? { at: Date.now(), reason: "the file is empty" } : null;

/** Moves the damaged file aside and creates a new one. The mark stays until the new file records the damage. */
function replace(dataDir: string, damage: Damage): Database {
  markDamaged(dataDir, damage);
  const name = setAside(dataDir, damage);
  const db = openDatabase(join(dataDir, DATABASE));
  const state = new EngineState({ db });
  transactionsOf(db)(
    () => {
      state.set("memory_reset", { at: damage.at, file: name, reason: damage.reason });
      // The last event number is lost. The time in ms is larger than any number an engine reaches by counting.
      state.set("events_floor", { seq: damage.at, ts: damage.at });
    },
    { durable: true },
  );
  removeMark(dataDir);
  return db;
}

function openDatabase(file: string): Database {
  const db = new Database(file, { timeout: BUSY_WAIT_MS });
  try {
    assertWritable(file);
    db.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; ${TEMPORARY}`);
    // What is deleted is overwritten: texts, and the vectors that were made of them.
    db.exec("pragma secure_delete = on");
    // SQLite's own checkpoint blocks the process. WalCheckpointer runs first for small transactions; this is for large
    // ones, every 32 MB instead of 4, so that few turns wait for it.
    db.exec("pragma wal_autocheckpoint = 8000");
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function transactionsOf(db: Database, committed: () => void = () => undefined): Store["transaction"] {
  const [begin, commit] = [db.prepare("begin immediate"), db.prepare("commit")];
  return <T>(work: () => T, { durable = false } = {}): T => {
    if (durable) db.exec("pragma synchronous = full");
    try {
      begin.run();
      const result = work();
      commit.run();
      committed();
      return result;
    } catch (error) {
      // SQLite rolls back automatically after some errors, such as a full disk.
      if (db.isTransaction) db.exec("rollback");
      throw error;
    } finally {
      if (durable) db.exec("pragma synchronous = normal");
    }
  };
}

function takeLock(file: string): Database {
  try {
    const lock = new Database(file, { timeout: LOCK_WAIT_MS });
    assertWritable(file);
    lock.exec("begin exclusive");
    return lock;
  } catch (error) {
    throw storeUnusable(error, file);
  }
}

/** SQLite silently opens an unwritable file read-only, and then takes no lock. */
const assertWritable = (file: string): void => accessSync(file, constants.W_OK);

function migrate(db: Database, file: string): void {
  const had = Number(db.prepare("pragma user_version").get()?.["user_version"]);
  if (had === ENGINE_MIGRATIONS.length) return;
  if (had > ENGINE_MIGRATIONS.length) {
    const versions = `schema version ${had}, this engine supports ${ENGINE_MIGRATIONS.length}`;
    throw new StoreUnusable("store_newer", `${basename(file)} was written by a newer version (${versions})`);
  }
  transactionsOf(db)(() => applyMigrations(db, had));
}
