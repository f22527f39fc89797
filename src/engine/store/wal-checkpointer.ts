import { open } from "node:fs/promises";
import { inBackground } from "../../shared/background.ts";
import type { Database } from "./database.ts";

/** About 8 MB of WAL with small transactions. */
const COMMITS_PER_CHECKPOINT = 1000;

/**
 * Runs WAL checkpoints before SQLite's own, which blocks the process while it syncs the log. Here another thread syncs
 * the log first. Guarded by the row "a word from model to reader" of `bench/parts/deltas.ts`.
 */
export class WalCheckpointer {
  readonly #db: Database;
  readonly #log: string;
  #commits = 0;
  #closed = false;

  constructor(db: Database, file: string) {
    this.#db = db;
    this.#log = `${file}-wal`;
  }

  /** To be called after each transaction. */
  committed(): void {
    if (++this.#commits === COMMITS_PER_CHECKPOINT) inBackground("WAL checkpoint", this.checkpoint());
  }

  close(): void {
    this.#closed = true;
  }

  /** Runs a checkpoint now: for bulk writers with few transactions. Never rejects. */
  async checkpoint(): Promise<void> {
    try {
      await sync(this.#log);
      if (!this.#closed) this.#db.exec("pragma wal_checkpoint(passive)");
    } catch {
      // Best effort: with an open reader or a full disk the log only grows. `Database` reports damage.
    } finally {
      this.#commits = 0;
    }
  }
}

/** Syncs in another thread. Closing this descriptor drops no POSIX lock: SQLite holds none on the WAL. */
async function sync(file: string): Promise<void> {
  const handle = await open(file);
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
