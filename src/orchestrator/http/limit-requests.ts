import type { Response } from "express";
import type { Clock } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import type { Product } from "../operations/identify-product.ts";
import { type RequestWindow, type WindowVerdict, admit, emptyWindow } from "../rules/request-window.ts";

const MAX_OPEN = 1000;

/** Counts a product's calls, by their cost, against its requests per minute, and sets the `RateLimit-*` headers. */
export class RequestLimit {
  readonly #now: Clock;
  readonly #windows = new Map<string, RequestWindow>();
  readonly #open = new Map<string, number>();

  constructor(now: Clock) {
    this.#now = now;
  }

  /** Counts this part of the cost of a call. */
  count(product: Product, response: Response, { cost, part }: { readonly cost: number; readonly part: number }): void {
    const { id, policy } = product.record;
    const limit = policy.requests_per_minute;
    if (limit === null) return;
    const now = this.#now();
    const verdict = admit(this.#windows.get(id) ?? emptyWindow(now), limit, now, { cost, part });
    this.#windows.set(id, verdict.window);
    setHeaders(response, limit, verdict);
    if (!verdict.admitted) {
      throw new ApiError("RATE_LIMITED", `${limit} requests a minute are used up`, { retryAfterS: verdict.resetS });
    }
  }

  /** Counts a call until its response ends. Waiting and streaming calls each hold a connection. */
  open(product: Product, response: Response): void {
    const { id } = product.record;
    const open = this.#open.get(id) ?? 0;
    if (open >= MAX_OPEN)
      throw new ApiError("RATE_LIMITED", `${MAX_OPEN} calls of this product are open`, { retryAfterS: 1 });
    if (response.closed) return;
    this.#open.set(id, open + 1);
    response.once("close", () => {
      const left = (this.#open.get(id) ?? 1) - 1;
      if (left === 0) this.#open.delete(id);
      else this.#open.set(id, left);
    });
  }
}

/** Whole calls: of a window with tenths left, as many as may still cost a whole one. */
function setHeaders(response: Response, limit: number, { remaining, resetS }: WindowVerdict): void {
  response.set({
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": String(Math.floor(remaining)),
    "RateLimit-Reset": String(resetS),
  });
}
