import type { Db } from "../store/database.ts";
import { trimAnswers } from "../store/idempotency-keys.ts";

/** The most that is kept for one product, or for operators; the oldest answers go first. */
const MOST = { keys: 50_000, bytes: 64 * 1_048_576 };
/** To measure costs more than to store: an answer in so many is followed by it. */
const TRIM_EVERY = 500;

/** Keeps the answers stored for repeated calls within limits, however fast a caller makes new keys. */
export class AnswerLimit {
  readonly #storedSinceTrim = new Map<string, number>();

  /** To be called after each answer that was stored. */
  async recordStored(db: Db, scope: string): Promise<void> {
    const stored = (this.#storedSinceTrim.get(scope) ?? 0) + 1;
    this.#storedSinceTrim.set(scope, stored);
    if (stored < TRIM_EVERY) return;
    this.#storedSinceTrim.delete(scope);
    await trimAnswers(db, { scope, ...MOST });
  }

  /** The same for every scope: what a daemon before this one stored is in no count of ours. */
  async trimAll(db: Db): Promise<void> {
    await trimAnswers(db, { scope: null, ...MOST });
  }
}
