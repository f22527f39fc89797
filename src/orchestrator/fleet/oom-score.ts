import { writeFileSync } from "node:fs";
import { hasCode } from "../../shared/error-code.ts";

/** High enough to prefer a small engine over a large database, low enough to prefer the largest engine. */
const ENGINE_SCORE = 200;

/**
 * Makes the OOM killer prefer engines over the daemon and the database. A child inherits the daemon's lower score, and
 * raising it is always allowed.
 */
export function setOomScore(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(ENGINE_SCORE));
  } catch (error) {
    // The process has exited, or a sandbox denies access. Then the inherited score remains.
    if (!hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM", "EROFS")) throw error;
  }
}
