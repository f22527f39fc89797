import { SESSION_LIMITS } from "../../contract/console/session-limits.ts";
import type { Clock } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";

const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/** Limits brute-force sign-ins: after some failures, an address is refused until the minute is over. */
export class FailedSignIns {
  readonly #now: Clock;
  readonly #isFailure: (error: unknown) => boolean;
  readonly #failures = new Map<string, { count: number; readonly since: number }>();

  /** `isFailure`: whether an error counts. */
  constructor(now: Clock, isFailure: (error: unknown) => boolean = isWrongSecret) {
    this.#now = now;
    this.#isFailure = isFailure;
  }

  /** Runs a sign-in, and counts it when it fails. */
  async bound<T>(address: string, signIn: () => Promise<T>): Promise<T> {
    this.#assertFew(address);
    // Counted before the check, so that concurrent guesses are limited too.
    this.#add(address, 1);
    try {
      const result = await signIn();
      this.#add(address, -1);
      return result;
    } catch (error) {
      if (!this.#isFailure(error)) this.#add(address, -1);
      throw error;
    }
  }

  #assertFew(address: string): void {
    const failed = this.#failures.get(address);
    if (failed === undefined) return;
    const leftMs = failed.since + WINDOW_MS - this.#now();
    if (leftMs <= 0) this.#failures.delete(address);
    else if (failed.count >= SESSION_LIMITS.failedSignIns)
      throw new ApiError("RATE_LIMITED", `${SESSION_LIMITS.failedSignIns} sign-ins of this address failed`, {
        retryAfterS: Math.ceil(leftMs / 1000),
      });
  }

  #add(address: string, count: 1 | -1): void {
    const failed = this.#failures.get(address);
    if (failed !== undefined) failed.count += count;
    else if (count > 0) {
      // The first key of a Map is the oldest.
      const [oldest] = this.#failures.size >= MAX_ADDRESSES ? this.#failures.keys() : [];
      if (oldest !== undefined) this.#failures.delete(oldest);
      this.#failures.set(address, { count, since: this.#now() });
    }
    if (failed?.count === 0) this.#failures.delete(address);
  }
}

const isWrongSecret = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "INVALID_ADMIN_KEY" || error.code === "INVALID_LINK");
