import { openSync, readSync, writeFileSync, writeSync } from "node:fs";
import { hasCode } from "../system/error-code.ts";

/** Of this process. A process that confines itself needs to write it, to start programs with a higher score. */
export const OWN_OOM_SCORE = "/proc/self/oom_score_adj";
/** In thousandths of the memory: a program ends before this process even when it uses this much less. */
const ABOVE_OWN = 300;
const MAX_SCORE = 1000;
/** Of the file: a sign, four digits and a line break. */
const MAX_BYTES = 8;

/**
 * Lets the kernel end a program before this process when memory runs out. A process inherits the score of its parent, and
 * a program has no right to its own. So this process has the programs' score for the milliseconds in which it starts one:
 * at no moment could a child of the program have a lower one.
 */
export class OomScore {
  readonly #file: number | null = openScore();
  #starting = 0;
  #own = 0;

  /** Calls `start`. A process that is started before its promise settles has the programs' score. */
  async whileStarting<T>(start: () => Promise<T>): Promise<T> {
    if (this.#file === null) return start();
    if (this.#starting++ === 0) {
      this.#own = this.#read(this.#file);
      writeSync(this.#file, String(Math.min(MAX_SCORE, this.#own + ABOVE_OWN)), 0);
    }
    try {
      return await start();
    } finally {
      if (--this.#starting === 0) writeSync(this.#file, String(this.#own), 0);
    }
  }

  #read(file: number): number {
    const text = Buffer.alloc(MAX_BYTES);
    return Number(text.toString("latin1", 0, readSync(file, text, 0, MAX_BYTES, 0)));
  }
}

/** Null where `/proc` cannot be written, as in some containers. Programs then have the score of this process. */
function openScore(): number | null {
  try {
    return openSync(OWN_OOM_SCORE, "r+");
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES", "EPERM", "EROFS")) return null;
    throw error;
  }
}

/**
 * Sets the OOM score of a process, which inherited that of its parent. Raising it is always allowed. Nothing changes when
 * the process has exited, or `/proc` cannot be written.
 */
export function setOomScore(pid: number, score: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(score));
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM", "EROFS")) throw error;
  }
}
