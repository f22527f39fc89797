import type { ApiError } from "../api-error.ts";

const KEPT_MS = 30_000;

/** Errors of recently failed provisions, by engine id. A call that joined a provision reads it after the row is gone. */
export class RecentFailures {
  readonly #errors = new Map<string, ApiError>();

  record(engineId: string, error: ApiError): void {
    this.#errors.set(engineId, error);
    setTimeout(() => this.#errors.delete(engineId), KEPT_MS).unref();
  }

  of(engineId: string): ApiError | undefined {
    return this.#errors.get(engineId);
  }
}
