import type { ProcessEnd } from "./engine-backend.ts";
import { type ProcessIdentity, isAlive, isInUse } from "./process-identity.ts";

const POLL_MS = 250;
/** Every this many looks a pid that is in use is asked whose it is: that costs ten times as much. */
const LOOKS_PER_PROOF = 2;

interface Waiting {
  readonly identity: ProcessIdentity;
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
      this.#waiting.add({ identity, resolve });
      this.#timer ??= setInterval(() => this.#glance(), POLL_MS).unref();
    });
  }

  /** Looks closely now, for who knows that a process has just ended. */
  look(): void {
    this.#settle(({ identity }) => isAlive(identity));
  }

  #glance(): void {
    this.#looks++;
    if (this.#looks % LOOKS_PER_PROOF === 0) this.look();
    else this.#settle(({ identity }) => isInUse(identity.pid));
  }

  #settle(lives: (waiting: Waiting) => boolean): void {
    for (const waiting of this.#waiting) {
      if (lives(waiting)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve({ code: null, signal: null });
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
