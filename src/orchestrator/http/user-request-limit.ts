import type { Clock } from "../../shared/clock.ts";
import type { Refusal } from "../operations/reach-engine.ts";
import { type RequestWindow, admit, emptyWindow } from "../rules/request-window.ts";

/** The users whose calls are counted; those who called longest ago are forgotten first. */
const MAX_USERS = 10_000;

/** Counts the calls of each user's tokens in any 60 seconds. */
export class UserRequestLimit {
  readonly #now: Clock;
  /** By engine, in the order of the last call. */
  readonly #windows = new Map<string, RequestWindow>();

  constructor(now: Clock) {
    this.#now = now;
  }

  /** Counts a call. The refusal when the user has used up `limit`; null when not. */
  count(engineId: string, limit: number | null): Refusal | null {
    if (limit === null) return null;
    const now = this.#now();
    const { admitted, window, resetS } = admit(this.#windows.get(engineId) ?? emptyWindow(now), limit, now);
    this.#windows.delete(engineId);
    this.#windows.set(engineId, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_USERS && oldest !== undefined) this.#windows.delete(oldest);
    if (admitted) return null;
    const message = `the ${limit} requests a minute of this user are used up`;
    return { code: "RATE_LIMITED", message, retryAfterS: resetS };
  }
}
