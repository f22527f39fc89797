import { open } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";

/** Some 8 MB of the log when they are small. */
const EVERY = 1000;

/**
 * Folds the write-ahead log back into the file before it is so large that SQLite does. That waits for the disk, and
 * every turn with it; most of it waits until the log itself is on the disk, which another thread can do beforehand.
 */
export class WalCheckpointer {
  readonly #db: DatabaseSync;
  readonly #log: string;
  #commits = 0;
  #over = false;

  constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#log = `${file}-wal`;
  }

  /** To be told of each transaction. */
  committed(): void {
    if (++this.#commits === EVERY) void this.fold();
  }

  end(): void {
    this.#over = true;
  }

  /** Now: for who writes so much in a few transactions that it would wait too long. */
  async fold(): Promise<void> {
    try {
      await onDisk(this.#log);
      if (!this.#over) this.#db.exec("pragma wal_checkpoint(passive)");
    } catch {
      // Somebody reads in steps, or the disk is full: the log only grows, and damage is told by whoever watches.
    } finally {
      this.#commits = 0;
    }
  }
}

/** Another thread waits for it; SQLite's locks are not on this file, so that closing it frees none. */
async function onDisk(file: string): Promise<void> {
  const handle = await open(file);
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
