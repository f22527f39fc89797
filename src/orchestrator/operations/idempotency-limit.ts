import type { Db } from "../store/database.ts";
import { trimResponses } from "../store/idempotency-keys.ts";

/** The limits of stored responses per scope (a product, or the admin key). The oldest are removed first. */
const LIMITS = { keys: 50_000, bytes: 64 * 1_048_576 };
/** Responses between two trims, since a trim scans the whole scope. */
const TRIM_EVERY = 500;

/** Limits the responses stored for idempotency keys, however fast a caller creates keys. */
export class IdempotencyLimit {
  readonly #storedSinceTrim = new Map<string, number>();

  /** Call it after each stored response. */
  async recordStored(db: Db, scope: string): Promise<void> {
    const stored = (this.#storedSinceTrim.get(scope) ?? 0) + 1;
    this.#storedSinceTrim.set(scope, stored);
    if (stored < TRIM_EVERY) return;
    this.#storedSinceTrim.delete(scope);
    await trimResponses(db, { scope, ...LIMITS });
  }

  /** Trims every scope, responses of earlier daemons included. */
  async trimAll(db: Db): Promise<void> {
    await trimResponses(db, { scope: null, ...LIMITS });
  }
}
