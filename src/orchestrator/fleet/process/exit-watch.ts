import type { ProcessExit } from "../engine-backend.ts";
import { ProcessLiveness } from "./process-liveness.ts";
import type { ProcessIdentity } from "../../../sandbox/processes.ts";
import { isInUse } from "./process-identity.ts";

const POLL_MS = 250;
/** Every how many polls the identity of a used pid is checked, which costs several times as much. */
const POLLS_PER_IDENTITY_CHECK = 2;

interface Waiting {
  readonly pid: number;
  readonly process: ProcessLiveness;
  readonly resolve: (end: ProcessExit) => void;
}

/**
 * Detects exits of processes that are not our children, by polling: within one poll when the pid is free, within two when
 * it was reused or belongs to a zombie. One timer serves all processes.
 */
export class ExitWatch {
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #polls = 0;

  ended(identity: ProcessIdentity): Promise<ProcessExit> {
    return new Promise((resolve) => {
      this.#waiting.add({ pid: identity.pid, process: new ProcessLiveness(identity), resolve });
      this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    });
  }

  /** Checks all identities now, for callers that know of an exit. */
  check(): void {
    this.#settle(({ process }) => isAlive(process));
  }

  #poll(): void {
    this.#polls++;
    if (this.#polls % POLLS_PER_IDENTITY_CHECK === 0) this.check();
    else this.#settle(({ pid }) => isInUse(pid));
  }

  #settle(isRunning: (waiting: Waiting) => boolean): void {
    for (const waiting of this.#waiting) {
      if (isRunning(waiting)) continue;
      this.#waiting.delete(waiting);
      waiting.process.close();
      waiting.resolve({ code: null, signal: null });
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** A process that cannot be inspected now (too many open files) counts as alive until the next poll. */
function isAlive(process: ProcessLiveness): boolean {
  try {
    return process.isAlive();
  } catch {
    return true;
  }
}
