import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Deadline } from "./deadline.ts";

const RETRY_MS = 50;
const SQLITE_BUSY = 5;

export interface FileLock {
  release(): void;
}

/**
 * Acquires an exclusive lock on a file, by a SQLite transaction that ends when its process dies. Null when another
 * process still holds it after `waitMs`.
 */
export async function acquireLock(file: string, waitMs: number): Promise<FileLock | null> {
  // SQLite's busy timeout would block the event loop, and with it a holder in this process.
  const lock = new DatabaseSync(file, { timeout: 0 });
  const deadline = new Deadline(waitMs);
  for (;;) {
    try {
      lock.exec("begin exclusive");
      return { release: () => lock.close() };
    } catch (error) {
      const isBusy = error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
      const isLate = deadline.isOver;
      if (!isBusy || isLate) lock.close();
      if (!isBusy) throw error;
      if (isLate) return null;
    }
    await sleep(RETRY_MS);
  }
}
