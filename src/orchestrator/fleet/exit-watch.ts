import type { ProcessEnd } from "./engine-backend.ts";
import { ProcessLiveness } from "./process-liveness.ts";
import { type ProcessIdentity, isInUse } from "./process-identity.ts";

const POLL_MS = 250;
/** Every this many looks a pid that is in use is asked whose it is: that costs several times as much. */
const LOOKS_PER_PROOF = 2;

interface Waiting {
  readonly pid: number;
  readonly process: ProcessLiveness;
  readonly resolve: (end: ProcessEnd) => void;
}

/**
 * Notices the end of processes that are not our children: in one look when the pid is free, in two when it was
 * given away at once or is a zombie's. One timer for all of them, none when there are none.
 */
export class ExitWatch {
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;

  ended(identity: ProcessIdentity): Promise<ProcessEnd> {
    return new Promise((resolve) => {
      this.#waiting.add({ pid: identity.pid, process: new ProcessLiveness(identity), resolve });
      this.#timer ??= setInterval(() => this.#glance(), POLL_MS).unref();
    });
  }

  /** Looks closely now, for who knows that a process has just ended. */
  look(): void {
    this.#settle(({ process }) => isAlive(process));
  }

  #glance(): void {
    this.#looks++;
    if (this.#looks % LOOKS_PER_PROOF === 0) this.look();
    else this.#settle(({ pid }) => isInUse(pid));
  }

  #settle(lives: (waiting: Waiting) => boolean): void {
    for (const waiting of this.#waiting) {
      if (lives(waiting)) continue;
      this.#waiting.delete(waiting);
      waiting.process.close();
      waiting.resolve({ code: null, signal: null });
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** A process that cannot be looked at now (too many open files) counts as alive and is looked at again. */
function isAlive(process: ProcessLiveness): boolean {
  try {
    return process.isAlive();
  } catch {
    return true;
  }
}
