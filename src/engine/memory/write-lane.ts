import { setImmediate as nextTurn } from "node:timers/promises";
import PQueue from "p-queue";
import type { Store } from "../store/open-store.ts";

/** A turn waits for at most one transaction of this length. */
export const MAX_TRANSACTION_MS = 4;

/**
 * Serializes bulk writes (learning, import) into short transactions. The event loop runs between them, so a turn waits
 * for at most one. Nothing is awaited inside a transaction.
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

  /** Runs `work` for each item, in transactions of at most {@link MAX_TRANSACTION_MS}. */
  async each<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
    for (let at = 0; at < items.length;) {
      at = await this.run(() => {
        const until = performance.now() + MAX_TRANSACTION_MS;
        let next = at;
        do work(items[next++] as T);
        while (next < items.length && performance.now() < until);
        return next;
      });
    }
  }
}
