import { closeSync, openSync, readSync } from "node:fs";
import { hasCode } from "../../shared/error-code.ts";
import { unlessGone } from "../../shared/processes.ts";
import { type ProcessIdentity, isAlive } from "./process-identity.ts";

/** Enough for the pid, the command (at most 15 bytes) and the state. */
const START_BYTES = 64;

/**
 * Checks repeatedly whether one process is alive. An open `/proc/<pid>/stat` never refers to a later process with the same
 * pid, so rereading it is enough. It costs a third of a full identity check (bench row "the daemon's CPU, 200 idle engines").
 */
export class ProcessLiveness {
  readonly #identity: ProcessIdentity;
  /** Undefined until opened. Null when the process is gone or not readable. */
  #stat: number | null | undefined;
  readonly #start = Buffer.alloc(START_BYTES);

  constructor(identity: ProcessIdentity) {
    this.#identity = identity;
  }

  /** Throws when the file cannot be opened now, as with too many open files. */
  isAlive(): boolean {
    if (this.#stat === undefined) this.#open();
    if (typeof this.#stat !== "number") return false;
    try {
      const length = readSync(this.#stat, this.#start, 0, START_BYTES, 0);
      const start = this.#start.toString("latin1", 0, length);
      const state = start.charAt(start.lastIndexOf(")") + 2);
      return state !== "Z" && state !== "X";
    } catch (error) {
      if (hasCode(error, "ESRCH")) return false;
      throw error;
    }
  }

  close(): void {
    if (typeof this.#stat === "number") closeSync(this.#stat);
    this.#stat = null;
  }

  #open(): void {
    const stat = unlessGone(() => openSync(`/proc/${this.#identity.pid}/stat`, "r"));
    try {
      // The opened file may already belong to another process with the pid.
      this.#stat = isAlive(this.#identity) ? stat : null;
    } finally {
      if (stat !== null && this.#stat !== stat) closeSync(stat);
    }
  }
}
