import { writeFileSync } from "node:fs";

/** Enough that a small engine goes before a large database, little enough that the largest engine goes first. */
const ENGINE_SCORE = 200;

/**
 * Makes the kernel, short of memory, take an engine before the daemon and the database. A child is born with the
 * daemon's own protection; to give it up is always allowed.
 */
export function preferForOomKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(ENGINE_SCORE));
  } catch (error) {
    // It has ended already, or this is a sandbox without the file or the right to it: then all are alike.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "ESRCH" && code !== "EACCES" && code !== "EPERM" && code !== "EROFS") throw error;
  }
}
