import type { Response } from "express";
import type { Clock } from "../../kit/clock.ts";
import { ApiError } from "../api-error.ts";
import type { Product } from "../operations/identify-product.ts";
import { type RequestWindow, admit, emptyWindow } from "../rules/request-window.ts";

/** Counts each authenticated call of a product, by its cost, against its requests per minute; headers say what is left. */
export class RequestLimit {
  readonly #now: Clock;
  readonly #windows = new Map<string, RequestWindow>();

  constructor(now: Clock) {
    this.#now = now;
  }

  count(product: Product, response: Response, cost: number): void {
    const { id, policy } = product.record;
    const limit = policy.requests_per_minute;
    if (limit === null) return;
    const now = this.#now();
    const verdict = admit(this.#windows.get(id) ?? emptyWindow(now), limit, now, cost);
    this.#windows.set(id, verdict.window);
    response.set({
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": String(verdict.remaining),
      "RateLimit-Reset": String(verdict.resetS),
    });
    if (!verdict.admitted) {
      throw new ApiError("RATE_LIMITED", `${limit} requests a minute are used up`, { retryAfterS: verdict.resetS });
    }
  }
}
