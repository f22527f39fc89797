import { openSync, readSync, writeSync } from "node:fs";
import { hasCode } from "../../../shared/error-code.ts";

/** Of this process. The engine's Landlock rules allow it, and no other file of `/proc`, to be written. */
export const OWN_OOM_SCORE = "/proc/self/oom_score_adj";
/** In thousandths of the memory: a tool ends before an engine that uses this much more. */
const ABOVE_ENGINE = 300;
const MAX_SCORE = 1000;
/** Of the file: a sign, four digits and a line break. */
const MAX_BYTES = 8;

/**
 * Lets the kernel end a tool before the engine when memory runs out. A process inherits the score of its parent, and a
 * tool has no right to its own. So the engine has the tools' score for the milliseconds in which it starts one: at no
 * moment could a child of the tool have a lower one.
 */
export class OomScore {
  readonly #file: number | null = openScore();
  #starting = 0;
  #own = 0;

  /** Calls `start`. A process that is started before its promise settles has the tools' score. */
  async whileStarting<T>(start: () => Promise<T>): Promise<T> {
    if (this.#file === null) return start();
    if (this.#starting++ === 0) {
      this.#own = this.#read(this.#file);
      writeSync(this.#file, String(Math.min(MAX_SCORE, this.#own + ABOVE_ENGINE)), 0);
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

/** Null where `/proc` cannot be written, as in some containers. Tools then have the engine's score. */
function openScore(): number | null {
  try {
    return openSync(OWN_OOM_SCORE, "r+");
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES", "EPERM", "EROFS")) return null;
    throw error;
  }
}
