import type { Client } from "pg";
import type { Logger } from "../../shared/logger.ts";
import { delay } from "../../shared/clock.ts";
import type { Db } from "./database.ts";
import { openSession } from "./session.ts";
import { BatchedLookups } from "./batched-lookups.ts";
import { type Product, type ProductByKey, findProductsByKeyHash } from "./products.ts";

const MAX_ENTRIES = 10_000;
const RECONNECT_MS = 1000;

/**
 * Products by key hash, so that a call costs no look-up of its product. An entry lives only while this process
 * listens for changes of the tables (a trigger tells them, whoever makes them), and a change drops them all. While it
 * cannot listen, which it knows within seconds, every look-up goes to the database.
 */
export class ProductDirectory {
  /** Anybody can present keys that nobody has: however many do, they take one connection of the pool. */
  readonly #lookups: BatchedLookups<ProductByKey>;
  readonly #entries = new Map<string, ProductByKey>();
  #listening = false;
  /** Counts the changes: what was read before one is not kept after it. */
  #generation = 0;

  constructor(db: Db) {
    this.#lookups = new BatchedLookups((hashes) => findProductsByKeyHash(db, hashes));
  }

  /** The product whose key has this SHA-256, if the key is good at `now`. Unknown hashes are not remembered. */
  async find(hash: string, now: number): Promise<Product | null> {
    const found = this.#entries.get(hash) ?? (await this.#read(hash));
    if (found === null || (found.expiresAt !== null && found.expiresAt.getTime() <= now)) return null;
    return found.product;
  }

  /** Forgets everything: the tables were changed. Called by who changes them, before the change is answered. */
  changed(): void {
    this.#generation++;
    this.#entries.clear();
  }

  /** Listens until the signal; resolves when the first connection stands or has failed. */
  async listen(newClient: () => Client, logger: Logger, signal: AbortSignal): Promise<void> {
    const first = Promise.withResolvers<void>();
    void this.#keepListening(newClient, logger, signal, first.resolve);
    await first.promise;
  }

  async #keepListening(newClient: () => Client, logger: Logger, signal: AbortSignal, tried: () => void): Promise<void> {
    while (!signal.aborted) {
      try {
        const session = await openSession(newClient, signal);
        session.client.on("notification", () => this.changed());
        try {
          await session.client.query("listen orchd_products");
          this.changed();
          this.#listening = true;
          tried();
          await session.ended;
        } finally {
          await session.close();
        }
      } catch (error) {
        logger.warn({ err: error }, "cannot listen for product changes");
      }
      this.#listening = false;
      this.changed();
      tried();
      await delay(RECONNECT_MS, signal);
    }
  }

  async #read(hash: string): Promise<ProductByKey | null> {
    const generation = this.#generation;
    const found = await this.#lookups.find(hash);
    if (found !== null && this.#listening && generation === this.#generation) {
      if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
      this.#entries.set(hash, found);
    }
    return found;
  }
}
