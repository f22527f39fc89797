import type { Client } from "pg";
import { inBackground } from "../../shared/background.ts";
import type { Forgotten } from "../../contract/broker/forget.ts";
import type { EngineLayers } from "../../contract/orchestrator/engine-policy.ts";
import type { Policy } from "../../contract/orchestrator/requests.ts";
import type { Logger } from "../../shared/logger.ts";
import { delay } from "../../shared/clock.ts";
import type { Db } from "./database.ts";
import { ALL_FORGOTTEN, FORGOTTEN_CHANNEL, readForgotten } from "./forgotten-answers.ts";
import { openSession } from "./session.ts";
import type { CurrentKnowledge } from "./knowledge.ts";
import { BatchedLookups } from "./batched-lookups.ts";
import { type ProductByKey, findProductsByKeyHash } from "./product-keys.ts";
import { policyOfEngine } from "./planned-policy.ts";
import { type CurrentCatalog, type Product, findProduct } from "./products.ts";

const MAX_ENTRIES = 10_000;
const RECONNECT_MS = 1000;
/** The channel of revoked tokens; the payload is the engine's id. */
const TOKENS = "orchd_tokens";

interface EngineOfProduct {
  readonly productId: string;
  readonly layers: Pick<EngineLayers, "plan" | "own">;
}

/**
 * A cache of products by key hash, so that authentication needs no query. A trigger notifies of every change of the
 * tables, and a notification clears the cache. While this process cannot LISTEN, every look-up queries the database.
 */
export class ProductDirectory {
  /** Batched, so that unauthenticated callers can occupy only one connection of the pool. */
  readonly #lookups: BatchedLookups<ProductByKey>;
  readonly #entries = new Map<string, ProductByKey>();
  readonly #products = new Map<string, Promise<Product | null>>();
  readonly #db: Db;
  readonly #listeners: (() => void)[] = [];
  readonly #tokenListeners: ((engineId: string | null) => void)[] = [];
  readonly #forgottenListeners: ((what: Forgotten) => void)[] = [];
  #listening = false;
  /** Counts changes, so that a product read before a change is not cached after it. */
  #generation = 0;

  constructor(db: Db) {
    this.#db = db;
    this.#lookups = new BatchedLookups((hashes) => findProductsByKeyHash(db, hashes));
  }

  /** The product whose key has this SHA-256, if the key is valid at `now`. Unknown hashes are not cached. */
  async find(hash: string, now: number): Promise<Product | null> {
    const found = this.#entries.get(hash) ?? (await this.#read(hash));
    if (found === null || (found.expiresAt !== null && found.expiresAt.getTime() <= now)) return null;
    return found.product;
  }

  /** The cached policy of a product. Null when it has been deleted. */
  async policyOf(productId: string): Promise<Policy | null> {
    return (await this.#product(productId))?.record.policy ?? null;
  }

  /** What the cached policy, with its plan, says of an engine. Null when its product has been deleted. */
  async policyOfEngine({ productId, layers }: EngineOfProduct): Promise<Policy | null> {
    const product = await this.#product(productId);
    return product === null ? null : policyOfEngine(product, layers);
  }

  /** The cached current version of a product's catalog. Null when the product has been deleted. */
  async catalogOf(productId: string): Promise<CurrentCatalog | null> {
    return (await this.#product(productId))?.catalog ?? null;
  }

  /** The cached current version of a product's knowledge. Null when the product has been deleted. */
  async knowledgeOf(productId: string): Promise<CurrentKnowledge | null> {
    return (await this.#product(productId))?.knowledge ?? null;
  }

  /** The slug of a product, for metrics. Null when it has been deleted. */
  async slugOf(productId: string): Promise<string | null> {
    return (await this.#product(productId))?.record.slug ?? null;
  }

  /** A product by its id or slug. Null when there is none. */
  named(idOrSlug: string): Promise<Product | null> {
    return this.#product(idOrSlug);
  }

  /** Clears the cache. Every operation that changes a product calls it before its response. */
  changed(): void {
    this.#generation++;
    this.#entries.clear();
    this.#products.clear();
    for (const listener of this.#listeners) listener();
  }

  /** Called after each change of a product. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whether a change made elsewhere is heard. */
  get isListening(): boolean {
    return this.#listening;
  }

  /** Called when the tokens of an engine's user are revoked; with null, when those of any may have been. */
  onTokensRevoked(listener: (engineId: string | null) => void): void {
    this.#tokenListeners.push(listener);
  }

  /** Called when a daemon has changed what brokers were answered, and when one may have. */
  onForgotten(listener: (what: Forgotten) => void): void {
    this.#forgottenListeners.push(listener);
  }

  #forgotten(what: Forgotten): void {
    for (const listener of this.#forgottenListeners) listener(what);
  }

  #tokensRevoked(engineId: string | null): void {
    for (const listener of this.#tokenListeners) listener(engineId);
  }

  /** Listens until the signal. Resolves when the first connection is established or has failed. */
  async listen(newClient: () => Client, logger: Logger, signal: AbortSignal): Promise<void> {
    const first = Promise.withResolvers<void>();
    inBackground("changes of products", this.#listenUntilStopped(newClient, logger, signal, first.resolve));
    await first.promise;
  }

  async #listenUntilStopped(
    newClient: () => Client,
    logger: Logger,
    signal: AbortSignal,
    onFirstAttempt: () => void,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        const session = await openSession(newClient, signal);
        session.client.on("notification", ({ channel, payload = null }) => {
          if (channel === TOKENS) this.#tokensRevoked(payload);
          else if (channel === FORGOTTEN_CHANNEL) this.#forgotten(readForgotten(payload ?? ""));
          else this.changed();
        });
        try {
          await session.client.query(`listen orchd_products; listen ${TOKENS}; listen ${FORGOTTEN_CHANNEL}`);
          this.changed();
          this.#tokensRevoked(null);
          this.#forgotten(ALL_FORGOTTEN);
          this.#listening = true;
          onFirstAttempt();
          await session.ended;
        } finally {
          await session.close();
        }
      } catch (error) {
        logger.warn({ err: error }, "failed to listen for product changes");
      }
      this.#listening = false;
      this.changed();
      this.#tokensRevoked(null);
      onFirstAttempt();
      await delay(RECONNECT_MS, signal);
    }
  }

  #product(idOrSlug: string): Promise<Product | null> {
    const known = this.#products.get(idOrSlug);
    if (known !== undefined) return known;
    const product = findProduct(this.#db, idOrSlug);
    if (this.#listening) {
      if (this.#products.size >= MAX_ENTRIES) this.#products.clear();
      this.#products.set(idOrSlug, product);
      // A failure is not cached.
      product.catch(() => this.#products.delete(idOrSlug));
    }
    return product;
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
