/**
 * Releases resources in reverse order. Push the undo of a step right after the step. `release` runs all of them once,
 * past errors, and then throws the first error.
 */
export class Releasers {
  readonly #undo: (() => unknown)[] = [];
  #released: Promise<void> | undefined;

  push(undo: () => unknown): void {
    this.#undo.push(undo);
  }

  release(): Promise<void> {
    this.#released ??= this.#runAll();
    return this.#released;
  }

  async #runAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const undo of this.#undo.toReversed()) {
      try {
        await undo();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
