import { closeSync, openSync, readSync } from "node:fs";
import { type ProcessIdentity, isAlive } from "./process-identity.ts";

/** The pid, the command, of which the kernel keeps 15 bytes, and the state. */
const START_BYTES = 64;

/**
 * One process, asked again and again whether it still lives. Its file in `/proc`, once open, speaks of no other process
 * that is given the pid later, so that reading it anew is enough, at a third of the cost.
 */
export class ProcessLiveness {
  readonly #identity: ProcessIdentity;
  /** Undefined until it is opened; null when there is no such process any more, or it is not ours to look at. */
  #stat: number | null | undefined;
  readonly #start = Buffer.alloc(START_BYTES);

  constructor(identity: ProcessIdentity) {
    this.#identity = identity;
  }

  /** Throws when it cannot be looked at now: with too many open files. */
  isAlive(): boolean {
    if (this.#stat === undefined) this.#open();
    if (typeof this.#stat !== "number") return false;
    try {
      const length = readSync(this.#stat, this.#start, 0, START_BYTES, 0);
      const start = this.#start.toString("latin1", 0, length);
      const state = start.charAt(start.lastIndexOf(")") + 2);
      return state !== "Z" && state !== "X";
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
      throw error;
    }
  }

  close(): void {
    if (typeof this.#stat === "number") closeSync(this.#stat);
    this.#stat = null;
  }

  #open(): void {
    const stat = openStat(this.#identity.pid);
    try {
      // What was opened may be another's that has the pid already.
      this.#stat = isAlive(this.#identity) ? stat : null;
    } finally {
      if (stat !== null && this.#stat !== stat) closeSync(stat);
    }
  }
}

function openStat(pid: number): number | null {
  try {
    return openSync(`/proc/${pid}/stat`, "r");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}
