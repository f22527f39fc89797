import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ENGINE_MIGRATIONS } from "../../../migrations/engine/index.ts";
import { EngineState } from "./engine-state.ts";
import { allowLargeRowNumbers } from "./large-row-numbers.ts";
import { WalCheckpointer } from "./wal-checkpointer.ts";
import { ResetNotice } from "./reset-notice.ts";
import { DATABASE, type Damage, markDamaged, readMark, removeMark, setAside } from "./set-aside.ts";
import { StoreUnusable, storeUnusable } from "./store-unusable.ts";
import { isDamage, watchStatements } from "./watch-statements.ts";

const LOCK = "engine.lock";
const LOCK_WAIT_MS = 2000;
const BUSY_WAIT_MS = 5000;
/** Of a reader's own cache, in KiB: it reads through everything once. */
const READER_CACHE = 512;

export interface Store {
  readonly dataDir: string;
  readonly db: DatabaseSync;
  /** Runs in one transaction, kept whole or not at all; a `durable` one survives the machine's power too. Not re-entrant. */
  transaction<T>(work: () => T, how?: { readonly durable?: boolean }): T;
  readonly state: EngineState;
  readonly reset: ResetNotice;
  /** Resolves when a statement finds the file damaged: it is marked, and the next start sets it aside. */
  readonly damaged: Promise<Error>;
  /** Folds the log back into the file: for who writes much at once, every few megabytes. */
  fold(): Promise<void>;
  /** A connection of its own that only reads, for whoever has to see one state for long. They close it. */
  reader(): DatabaseSync;
  close(): void;
}

/**
 * The engine's one SQLite file, in write-ahead mode: what is committed survives the process being killed at any
 * moment. A lock beside it keeps a second engine out; it ends with its process, however that dies. One that is damaged
 * is set aside, and a new one begun. How long it takes does not depend on how much there is: nothing is looked through.
 */
export function openStore(dataDir: string): Store {
  const isFirst = !existsSync(join(dataDir, LOCK));
  const lock = takeLock(join(dataDir, LOCK));
  const file = join(dataDir, DATABASE);
  try {
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
    watchStatements(db, onDamage);
    const folding = new WalCheckpointer(db, file);
    return {
      dataDir,
      db,
      transaction: transactionsOf(db, () => folding.committed()),
      state,
      reset: new ResetNotice(state, { dataDir, isNew }),
      damaged: damaged.promise,
      fold: () => folding.fold(),
      reader() {
        const reader = new DatabaseSync(file, { readOnly: true, timeout: BUSY_WAIT_MS });
        watchStatements(reader, onDamage);
        reader.exec(`pragma cache_size = -${READER_CACHE}`);
        return reader;
      },
      close() {
        folding.end();
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
): { readonly db: DatabaseSync; readonly isNew: boolean } {
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

/** A database is never empty once it has been opened. */
const emptied = (file: string, { isFirst }: { readonly isFirst: boolean }): Damage | null =>
  !isFirst && existsSync(file) && statSync(file).size === 0 ? { at: Date.now(), reason: "the file is empty" } : null;

/** Sets the damaged one aside and begins anew; the mark is there until the new one knows of it. */
function replace(dataDir: string, damage: Damage): DatabaseSync {
  markDamaged(dataDir, damage);
  const name = setAside(dataDir, damage);
  const db = openDatabase(join(dataDir, DATABASE));
  const state = new EngineState({ db });
  transactionsOf(db)(
    () => {
      state.set("memory_reset", { at: damage.at, file: name, reason: damage.reason });
      // How far events had been numbered is lost: a number that no engine reaches by counting is behind them all.
      state.set("events_floor", { seq: damage.at, ts: damage.at });
    },
    { durable: true },
  );
  removeMark(dataDir);
  return db;
}

function openDatabase(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_WAIT_MS });
  try {
    assertWritable(file);
    db.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on");
    // Folding the log back into the file waits for the disk. What is written in small pieces is folded by WalCheckpointer;
    // this is for large ones: every 32 MB instead of 4, so that few turns meet it.
    db.exec("pragma wal_autocheckpoint = 8000");
    allowLargeRowNumbers(db);
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function transactionsOf(db: DatabaseSync, committed: () => void = () => undefined): Store["transaction"] {
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
    assertWritable(file);
    lock.exec("begin exclusive");
    return lock;
  } catch (error) {
    throw storeUnusable(error, file);
  }
}

/** SQLite opens a file that it may not write for reading, and locks it for nobody. */
const assertWritable = (file: string): void => accessSync(file, constants.W_OK);

function migrate(db: DatabaseSync, file: string): void {
  const had = Number(db.prepare("pragma user_version").get()?.["user_version"]);
  if (had === ENGINE_MIGRATIONS.length) return;
  if (had > ENGINE_MIGRATIONS.length) {
    const versions = `it has version ${had}, this engine knows ${ENGINE_MIGRATIONS.length}`;
    throw new StoreUnusable("store_newer", `${basename(file)} was written by a newer version (${versions})`);
  }
  transactionsOf(db)(() => {
    for (const sql of ENGINE_MIGRATIONS.slice(had)) db.exec(sql);
    db.exec(`pragma user_version = ${ENGINE_MIGRATIONS.length}`);
  });
}
