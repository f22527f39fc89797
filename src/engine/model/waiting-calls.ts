import type { ModelRequest } from "./model-provider.ts";

/** The interactive calls that wait for a limit or for another try, by model: background calls let them go first. */
export class WaitingCalls {
  readonly #counts = new Map<string, number>();

  has(model: string): boolean {
    return (this.#counts.get(model) ?? 0) > 0;
  }

  /** Background calls are not counted: they do not wait for each other. */
  async during<T>({ model, priority }: ModelRequest, wait: () => Promise<T>): Promise<T> {
    const step = priority === "background" ? 0 : 1;
    this.#counts.set(model, (this.#counts.get(model) ?? 0) + step);
    try {
      return await wait();
    } finally {
      this.#counts.set(model, (this.#counts.get(model) ?? 0) - step);
    }
  }
}
