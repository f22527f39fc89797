import { ApiError } from "../api-error.ts";

const PER_READER = 25;
const OF_ALL_PRODUCTS = 250;
const RETRY_AFTER_S = 10;

/**
 * Limits the open streams of one kind, since each holds a file or polls the database: per product, and for all products
 * together. Operators have a separate limit, which products cannot exhaust.
 */
export class StreamLimit {
  readonly #kind: string;
  readonly #open = new Map<string, number>();
  #ofProducts = 0;

  /** `kind`: for the error message, such as "event streams". */
  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Counts a stream until the result is disposed. `productId`: null for an operator. */
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
