import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const RETRY_MS = 50;
const SQLITE_BUSY = 5;

export interface StartLock {
  release(): void;
}

/**
 * An exclusive transaction on a file, for what two processes must not do at once: it ends with its process, however
 * that dies. Null when another one has held it for all of `waitMs`.
 */
export async function takeLock(file: string, waitMs: number): Promise<StartLock | null> {
  // SQLite's own waiting would block everything else here, another holder in this process included.
  const lock = new DatabaseSync(file, { timeout: 0 });
  const end = Date.now() + waitMs;
  for (;;) {
    try {
      lock.exec("begin exclusive");
      return { release: () => lock.close() };
    } catch (error) {
      const isBusy = error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
      if (!isBusy || Date.now() >= end) lock.close();
      if (!isBusy) throw error;
      if (Date.now() >= end) return null;
    }
    await sleep(RETRY_MS);
  }
}
