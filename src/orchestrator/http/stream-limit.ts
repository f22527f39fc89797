import { ApiError } from "../api-error.ts";

const PER_READER = 25;
const OF_ALL_PRODUCTS = 250;
const RETRY_AFTER_S = 10;

/**
 * Limits the open streams of one kind, since each holds a file or asks the database: so many per product, and so many
 * of all products together. Operators have a limit of their own, which products cannot use up.
 */
export class StreamLimit {
  readonly #kind: string;
  readonly #open = new Map<string, number>();
  #ofProducts = 0;

  /** `kind` as in "event streams": what the refusal names. */
  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Takes a seat until it is disposed of; `productId` is null for an operator. */
  acquire(productId: string | null): Disposable {
    const reader = productId ?? "operators";
    const open = this.#open.get(reader) ?? 0;
    if (open >= PER_READER) throw this.#refusal(`${PER_READER} ${this.#kind} of this caller are open`);
    if (productId !== null && this.#ofProducts >= OF_ALL_PRODUCTS)
      throw this.#refusal(`${OF_ALL_PRODUCTS} ${this.#kind} are open on this host`);
    this.#count(reader, 1);
    if (productId !== null) this.#ofProducts += 1;
    return {
      [Symbol.dispose]: () => {
        this.#count(reader, -1);
        if (productId !== null) this.#ofProducts -= 1;
      },
    };
  }

  #count(reader: string, change: 1 | -1): void {
    const open = (this.#open.get(reader) ?? 0) + change;
    if (open === 0) this.#open.delete(reader);
    else this.#open.set(reader, open);
  }

  #refusal(problem: string): ApiError {
    return new ApiError("CAPACITY_EXHAUSTED", problem, { retryAfterS: RETRY_AFTER_S });
  }
}
