import { type Transaction, Wait } from "./tables.ts";

interface Held {
  readonly key: string;
  readonly session: number;
  /** Null: until the session ends or releases it. */
  readonly transaction: Transaction | null;
  readonly isShared: boolean;
}

/** The advisory locks of a server. */
export class AdvisoryLocks {
  #held: Held[] = [];

  /** False when another session has it. */
  try(lock: Held): boolean {
    if (this.#others(lock).length > 0) return false;
    this.#held.push(lock);
    return true;
  }

  /** Throws {@link Wait}. */
  acquire(lock: Held): void {
    const others = this.#others(lock);
    if (others.length > 0) throw new Wait(others.map(({ session }) => session));
    const isHeld = this.#held.some(
      (one) => one.key === lock.key && one.transaction === lock.transaction && one.isShared === lock.isShared,
    );
    if (!isHeld) this.#held.push(lock);
  }

  /** Releases one of a session's own. */
  release(key: string, session: number): boolean {
    const at = this.#held.findIndex((one) => one.key === key && one.session === session && one.transaction === null);
    if (at >= 0) this.#held.splice(at, 1);
    return at >= 0;
  }

  ended(transaction: Transaction): void {
    this.#held = this.#held.filter((one) => one.transaction !== transaction);
  }

  closed(session: number): void {
    this.#held = this.#held.filter((one) => one.session !== session);
  }

  /** The sessions that have a lock. */
  holders(key: string): readonly number[] {
    return [...new Set(this.#held.filter((one) => one.key === key).map(({ session }) => session))];
  }

  #others({ key, session, isShared }: Held): readonly Held[] {
    return this.#held.filter((one) => one.key === key && one.session !== session && !(isShared && one.isShared));
  }
}
