import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";

const POLL_MS = 20;

/**
 * The engines whose transition an operation of this daemon is finishing. An engine in a transient state without an
 * owner is stuck: its operation failed, or the result of its claim was lost. The reaper then finishes the transition
 * before its deadline.
 */
export class TransitionOwners {
  readonly #counts = new Map<string, number>();

  has(engineId: string): boolean {
    return this.#counts.has(engineId);
  }

  /** Owns the engine until `work` settles. An engine may have several owners, such as a stop that cancels a boot. */
  async own<T>(engineId: string, work: () => Promise<T>): Promise<T> {
    this.#counts.set(engineId, (this.#counts.get(engineId) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const remaining = (this.#counts.get(engineId) ?? 1) - 1;
      if (remaining > 0) this.#counts.set(engineId, remaining);
      else this.#counts.delete(engineId);
    }
  }

  /** Waits until no engine has an owner, at most this long. */
  async settled(deadlineMs: number): Promise<void> {
    const end = new Deadline(deadlineMs);
    while (this.#counts.size > 0 && !end.isOver) await delay(POLL_MS);
  }
}
