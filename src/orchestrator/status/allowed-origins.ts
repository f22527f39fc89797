import type { Db } from "../store/database.ts";
import type { ProductDirectory } from "../store/product-directory.ts";
import { findAllowedOrigins } from "../store/products.ts";

/**
 * The origins that any product allows. A preflight names no product, so all of them are answered alike; the call itself is
 * checked by the product of its token.
 */
export class AllowedOrigins {
  readonly #parts: { readonly db: Db; readonly directory: ProductDirectory };
  #origins: Promise<ReadonlySet<string>> | null = null;

  constructor(parts: { readonly db: Db; readonly directory: ProductDirectory }) {
    this.#parts = parts;
    parts.directory.onChange(() => (this.#origins = null));
  }

  async includes(origin: string): Promise<boolean> {
    // Shared by all calls that wait for it.
    const origins = this.#origins ?? this.#read();
    return (await origins).has(origin);
  }

  #read(): Promise<ReadonlySet<string>> {
    const reading = findAllowedOrigins(this.#parts.db);
    this.#origins = reading;
    const forget = () => {
      if (this.#origins === reading) this.#origins = null;
    };
    // A failure is not kept, nor what this process would hear no change of.
    reading.then(() => this.#parts.directory.isListening || forget(), forget);
    return reading;
  }
}
