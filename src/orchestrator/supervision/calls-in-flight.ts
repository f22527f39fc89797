/**
 * Counts the calls that the gateway has sent to each engine and not answered yet. The engine may not have accepted them
 * yet, so the daemon does not put it to sleep.
 */
export class CallsInFlight {
  readonly #counts = new Map<string, number>();

  has(engineId: string): boolean {
    return this.#counts.has(engineId);
  }

  /** Returns a function that ends the call. Further calls of that function do nothing. */
  begin(engineId: string): () => void {
    this.#counts.set(engineId, (this.#counts.get(engineId) ?? 0) + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const left = (this.#counts.get(engineId) ?? 1) - 1;
      if (left > 0) this.#counts.set(engineId, left);
      else this.#counts.delete(engineId);
    };
  }
}
