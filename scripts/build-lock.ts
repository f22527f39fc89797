import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const DEADLINE_MS = 10 * 60_000;
const RETRY_MS = 100;
const SQLITE_BUSY = 5;

/** Runs the work under an exclusive lock. The kernel releases the lock when the process ends. */
export async function withBuildLock(file: string, work: () => Promise<void>): Promise<void> {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    const end = Date.now() + DEADLINE_MS;
    for (let reported = false; !acquire(lock); reported = true) {
      if (!reported) process.stderr.write("waiting for another build of this checkout …\n");
      if (Date.now() > end)
        throw new Error(`timed out after ${DEADLINE_MS / 60_000} minutes waiting for the lock ${file}`);
      await sleep(RETRY_MS);
    }
    await work();
  } finally {
    lock.close();
  }
}

function acquire(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
