/**
 * Which engines an operation of this daemon is bringing to a resting state right now. An engine in a transient state
 * without an owner has lost it: its operation failed, or the answer to its claim was lost. The sweep then ends the state
 * without waiting for its deadline.
 */
export class Owners {
  readonly #counts = new Map<string, number>();

  has(engineId: string): boolean {
    return this.#counts.has(engineId);
  }

  /** Owns the engine until `work` settles. An engine may have several owners: a stop that calls off a boot. */
  async own<T>(engineId: string, work: () => Promise<T>): Promise<T> {
    this.#counts.set(engineId, (this.#counts.get(engineId) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#counts.get(engineId) ?? 1) - 1;
      if (left > 0) this.#counts.set(engineId, left);
      else this.#counts.delete(engineId);
    }
  }
}
