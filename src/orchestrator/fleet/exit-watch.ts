import type { ProcessEnd } from "./engine-backend.ts";
import { type ProcessIdentity, isAlive } from "./process-identity.ts";

const POLL_MS = 250;

/** Notices the end of processes that are not our children. One timer for all of them, none when there are none. */
export class ExitWatch {
  readonly #waiting = new Map<ProcessIdentity, (exit: ProcessEnd) => void>();
  #timer: NodeJS.Timeout | undefined;

  ended(identity: ProcessIdentity): Promise<ProcessEnd> {
    return new Promise((resolve) => {
      this.#waiting.set(identity, resolve);
      this.#timer ??= setInterval(() => this.look(), POLL_MS).unref();
    });
  }

  /** Looks now, for who knows that a process has just ended. */
  look(): void {
    for (const [identity, resolve] of this.#waiting) {
      if (isAlive(identity)) continue;
      this.#waiting.delete(identity);
      resolve({ code: null, signal: null });
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
