import type { ApiError } from "../api-error.ts";

const KEPT_MS = 30_000;

/** Why provisions failed lately, by engine id: the row is gone by then, and calls that had joined want to know. */
export class RecentFailures {
  readonly #errors = new Map<string, ApiError>();

  note(engineId: string, error: ApiError): void {
    this.#errors.set(engineId, error);
    setTimeout(() => this.#errors.delete(engineId), KEPT_MS).unref();
  }

  of(engineId: string): ApiError | undefined {
    return this.#errors.get(engineId);
  }
}
