import { setImmediate as nextTurn } from "node:timers/promises";
import PQueue from "p-queue";
import type { Store } from "../store/open-store.ts";

/**
 * Where everything waits that writes much at once: learning, import, erasure. Each piece of work is a short transaction
 * of its own, one after the other, and the event loop goes round in between: what a turn stores never waits for more
 * than one of them. Nothing is awaited inside a transaction.
 */
export class WriteLane {
  readonly #store: Store;
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(store: Store) {
    this.#store = store;
  }

  run<T>(work: () => T): Promise<T> {
    return this.#queue.add(async () => {
      await nextTurn();
      return this.#store.transaction(work);
    });
  }

  /** `work` for each, so many a transaction as a few milliseconds hold. */
  async each<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
    for (let at = 0; at < items.length;) {
      at = await this.run(() => {
        const until = performance.now() + LONGEST_MS;
        let next = at;
        do work(items[next++] as T);
        while (next < items.length && performance.now() < until);
        return next;
      });
    }
  }
}

const LONGEST_MS = 4;
