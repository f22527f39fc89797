/**
 * Stores what ends at about the same time together: what ends while the batch before is being stored is the next batch. A
 * failed batch fails for each of its own.
 */
export class DeliveredBatches<T> {
  readonly #store: (batch: readonly T[]) => Promise<void>;
  #next: { readonly batch: T[]; readonly stored: Promise<void> } | null = null;
  #current: Promise<void> = Promise.resolve();

  constructor(store: (batch: readonly T[]) => Promise<void>) {
    this.#store = store;
  }

  /** Resolves when it is stored. */
  add(item: T): Promise<void> {
    if (this.#next !== null) {
      this.#next.batch.push(item);
      return this.#next.stored;
    }
    const batch = [item];
    const stored = this.#current.then(() => {
      this.#next = null;
      return this.#store(batch);
    });
    this.#next = { batch, stored };
    this.#current = stored.catch(() => undefined);
    return stored;
  }
}
