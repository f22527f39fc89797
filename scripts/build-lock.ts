import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const DEADLINE_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 100;
const SQLITE_BUSY = 5;

/** Does the work while no other process does it. The kernel lets the lock go with the process, however it ends. */
export async function withBuildLock(file: string, work: () => Promise<void>): Promise<void> {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    const end = Date.now() + DEADLINE_MS;
    for (let told = false; !isTaken(lock); told = true) {
      if (!told) process.stderr.write("another build of this checkout runs; waiting for it …\n");
      if (Date.now() > end) throw new Error(`waited ${DEADLINE_MS / 60_000} minutes for the build that holds ${file}`);
      await sleep(LOOK_AGAIN_MS);
    }
    await work();
  } finally {
    lock.close();
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
