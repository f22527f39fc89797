import { readFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { unlessGone } from "../../../shared/processes.ts";

/** The size of a page on x86-64, and on arm64 as most systems set it up. `/proc` counts in pages. */
const PAGE_BYTES = 4096;
const STAT_BLOCK_BYTES = 512;
/** The index of the number of threads in `/proc/<pid>/stat`, counted from the state. */
const THREADS = 17;

export interface ProcessUsage {
  /** Processes and their threads. */
  readonly tasks: number;
  readonly bytes: number;
}

/**
 * Tasks and resident memory of processes together. Pages that a fork shares count for each of them; of libraries and other
 * shared memory, only the largest share counts. Exact figures cost fifty times as much.
 */
export function usageOf(pids: readonly number[]): ProcessUsage {
  let [tasks, own, shared] = [0, 0, 0];
  for (const pid of pids) {
    const stat = readProc(`/proc/${pid}/stat`);
    const memory = readProc(`/proc/${pid}/statm`);
    if (stat === null || memory === null) continue;
    tasks += Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[THREADS]);
    const [, resident = 0, sharedPages = 0] = memory.split(" ").map(Number);
    own += resident - sharedPages;
    shared = Math.max(shared, sharedPages);
  }
  return { tasks, bytes: (own + shared) * PAGE_BYTES };
}

/** The disk space of files on `device` that processes hold open after their names were removed. */
export function unlinkedBytes(pids: readonly number[], device: number): number {
  const sizes = new Map<number, number>();
  for (const pid of pids) {
    for (const name of unlessGone(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
      const path = `/proc/${pid}/fd/${name}`;
      if (unlessGone(() => readlinkSync(path))?.endsWith(" (deleted)") !== true) continue;
      const stats = unlessGone(() => statSync(path));
      if (stats?.dev === device) sizes.set(stats.ino, stats.blocks * STAT_BLOCK_BYTES);
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

const readProc = (path: string): string | null => unlessGone(() => readFileSync(path, "utf8"));
