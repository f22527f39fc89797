import { closeSync, openSync, readSync } from "node:fs";
import { hasCode } from "../../../shared/error-code.ts";
import { isRunning, unlessGone, type ProcessIdentity, isAlive } from "../../../sandbox/processes.ts";

/** Enough for the fields up to the number of threads: at most 18 numbers of 20 digits, and the command. */
const START_BYTES = 512;

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
      return isRunning(this.#start.toString("latin1", 0, length));
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
