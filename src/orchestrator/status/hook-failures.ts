interface Failing {
  /** In a row. */
  readonly calls: number;
  readonly error: string;
}

/** The products whose hook on tools has not decided lately, since this daemon runs. */
export class HookFailures {
  readonly #failing = new Map<string, Failing>();

  /** `error`: null for a decision. */
  record(productId: string, error: string | null): void {
    if (error === null) this.#failing.delete(productId);
    else this.#failing.set(productId, { calls: (this.#failing.get(productId)?.calls ?? 0) + 1, error });
  }

  all(): ReadonlyMap<string, Failing> {
    return this.#failing;
  }
}
