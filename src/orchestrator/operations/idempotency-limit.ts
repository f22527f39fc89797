import type { Db } from "../store/database.ts";
import { trimResponses } from "../store/idempotency-keys.ts";

/** The most that is stored per scope (a product, or the admin key). The oldest responses are removed first. */
const LIMITS = { keys: 50_000, bytes: 64 * 1_048_576 };
/** The trim scans the scope, so it runs once in so many stored responses. */
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
