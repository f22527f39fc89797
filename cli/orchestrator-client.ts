import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import {
  ADMIN_KEY_HEADER,
  type Page,
  PLATFORM_KEY_HEADER,
  type ProductRecord,
} from "../src/contract/orchestrator-api.ts";
import type { Credentials } from "./credentials.ts";
import { NOT_OURS, type Target, productOf, readAnswer, userOf } from "./daemon-answer.ts";
import { CliFailure } from "./exit-codes.ts";
import { openCall, pathSegment } from "./http.ts";
import { promptSecret, secretFromFile } from "./secret-input.ts";
import type { Settings } from "./settings.ts";

const DEADLINE_MS = 60_000;
/** For calls that wait for an engine: as long as the daemon may be set to wait for one, and some more. */
export const ENGINE_DEADLINE_MS = 65 * 60_000;

/** 200,000 records: more than a host can have of anything that is listed. */
const MAX_PAGES = 1000;

/** Whose key a call carries. */
export type Caller = "admin" | "platform";

interface Key {
  readonly key: string;
  /** The product it is kept for. */
  readonly slug?: string | undefined;
  /** The variable it comes from, which does not tell its product. */
  readonly variable?: string;
}

export interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
  /** How long the answer may pause; `null` is for ever. */
  readonly idleMs?: number | null;
}

/** Calls of the daemon, with the key each needs. An error body becomes a {@link CliFailure}. */
export class OrchestratorClient {
  readonly #settings: Settings;
  readonly #credentials: Credentials;
  /** As `--product` says. */
  readonly #wantedProduct: string | undefined;
  /** Found once: a person who typed one is not asked again for the next page. */
  readonly #keys = new Map<Caller, Promise<Key>>();

  constructor(settings: Settings, credentials: Credentials, wantedProduct: string | undefined) {
    this.#settings = settings;
    this.#credentials = credentials;
    this.#wantedProduct = wantedProduct;
  }

  async open<T>(path: string): Promise<T> {
    const response = await this.#open(path, {}, { deadlineMs: 10_000 });
    return (await readAnswer(response, { url: this.#settings.url })) as T;
  }

  async admin<T>(path: string, ask: Ask = {}): Promise<T> {
    return (await this.#answer("admin", path, ask)) as T;
  }

  async platform<T>(path: string, ask: Ask = {}): Promise<T> {
    return (await this.#answer("platform", path, ask)) as T;
  }

  /** For an answer that is read as it comes; a refusal is thrown before. */
  async stream(as: Caller, path: string, ask: Ask = {}): Promise<IncomingMessage> {
    const response = await this.#as(as, path, { idleMs: null, ...ask });
    if (response.statusCode !== 200) await readAnswer(response, await this.#about(as, path, ask));
    return response;
  }

  /** The pages of a list, each asked for when the one before has been used up. */
  async *pages<T>(
    as: Caller,
    path: string,
    query: Readonly<Record<string, string>> = {},
  ): AsyncGenerator<readonly T[]> {
    let cursor: string | null = null;
    for (let count = 0; count < MAX_PAGES; count++) {
      const search = new URLSearchParams({ limit: "200", ...query, ...(cursor !== null && { cursor }) });
      const page: Page<T> = await this[as](`${path}?${search.toString()}`);
      if (!Array.isArray(page.data)) throw new CliFailure("unexpected", NOT_OURS);
      yield page.data;
      if (page.next_cursor === null) return;
      if (page.next_cursor === cursor) break;
      cursor = page.next_cursor;
    }
    throw new CliFailure(
      "unexpected",
      `the daemon's list ${path} does not end: it has more than ${MAX_PAGES} pages, or one twice`,
    );
  }

  /** Every page of a list, as one. */
  async all<T>(as: Caller, path: string, query: Readonly<Record<string, string>> = {}): Promise<Page<T>> {
    const data: T[] = [];
    for await (const page of this.pages<T>(as, path, query)) data.push(...page);
    return { data, next_cursor: null };
  }

  /** The id of the product that `--product` names, as an admin's call knows it; null when it names none. */
  async wantedProductId(): Promise<string | null> {
    if (this.#wantedProduct === undefined) return null;
    return (await this.admin<ProductRecord>(`/products/${pathSegment(this.#wantedProduct)}`)).id;
  }

  async #as(caller: Caller, path: string, ask: Ask): Promise<IncomingMessage> {
    const key = this.#keys.get(caller) ?? (caller === "admin" ? this.#adminKey() : this.#platformKey());
    this.#keys.set(caller, key);
    const header = caller === "admin" ? ADMIN_KEY_HEADER : PLATFORM_KEY_HEADER;
    return this.#open(path, { ...ask.headers, [header]: (await key).key }, ask);
  }

  async #answer(caller: Caller, path: string, ask: Ask): Promise<unknown> {
    const response = await this.#as(caller, path, ask);
    return readAnswer(response, await this.#about(caller, path, ask));
  }

  /** What an error message names beside the daemon's own words. */
  async #about(caller: Caller, path: string, { body }: Ask): Promise<Target> {
    const { slug, variable } = (await this.#keys.get(caller)) ?? {};
    return { url: this.#settings.url, user: userOf(path, body), product: slug ?? productOf(path, body), variable };
  }

  #open(
    path: string,
    headers: Record<string, string>,
    { method = "GET", body, deadlineMs = DEADLINE_MS, idleMs = DEADLINE_MS }: Ask,
  ): Promise<IncomingMessage> {
    return openCall(this.#settings.url, { method, path, headers, body, deadlineMs, idleMs: idleMs ?? undefined });
  }

  async #adminKey(): Promise<Key> {
    const { adminKey, adminKeyFile, dataDir } = this.#settings;
    if (adminKey !== undefined) return { key: adminKey };
    if (adminKeyFile !== undefined) return { key: await secretFromFile(adminKeyFile) };
    const local = join(dataDir, "admin-key");
    // One that cannot be read is told below, unless a person can type it.
    const key = (await secretFromFile(local).catch(() => null)) ?? (await promptSecret("Admin key: "));
    if (key !== null) return { key };
    throw new CliFailure(
      "denied",
      `no admin key: set ORCH_ADMIN_KEY or ORCH_ADMIN_KEY_FILE, or ORCH_DATA_DIR as for the daemon (${local} cannot be read), or run this on a terminal to type it`,
    );
  }

  /** A product that is asked for by name goes before a key in the environment, which may be another's. */
  async #platformKey(): Promise<Key> {
    const { platformKey, platformKeyFile, product } = this.#settings;
    if (this.#wantedProduct === undefined) {
      if (platformKey !== undefined) return { key: platformKey, variable: "ORCH_PLATFORM_KEY" };
      if (platformKeyFile !== undefined) {
        return { key: await secretFromFile(platformKeyFile), variable: "ORCH_PLATFORM_KEY_FILE" };
      }
    }
    const slug = this.#wantedProduct ?? product ?? (await this.#credentials.currentProduct());
    const kept = slug === null ? null : await this.#credentials.platformKey(slug);
    const key = kept ?? (await promptSecret(`Platform key${slug === null ? "" : ` of ${slug}`}: `));
    if (key !== null) return { key, slug: slug ?? undefined };
    throw new CliFailure("denied", await this.#howToGetPlatformKey(slug));
  }

  async #howToGetPlatformKey(slug: string | null): Promise<string> {
    const kept = await this.#credentials.products();
    const missing =
      slug === null ? "no product is the current one" : `no platform key of ${slug} is kept for ${this.#settings.url}`;
    const ways = [
      ...(kept.length === 0 ? [] : [`orchctl products use takes one of those that are kept (${kept.join(", ")})`]),
      "orchctl products register makes a product with a key, orchctl products rotate-key a new key for an old product",
      "or set ORCH_PLATFORM_KEY or ORCH_PLATFORM_KEY_FILE",
    ];
    return `${missing}: ${ways.join("; ")}`;
  }
}
