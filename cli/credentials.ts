import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../src/shared/error-code.ts";
import * as z from "zod/mini";
import type { EngineRecord } from "../src/contract/orchestrator-records.ts";
import { acquireLock } from "../src/shared/file-lock.ts";
import { CliFailure } from "./exit-codes.ts";

const LOCK_WAIT_MS = 10_000;

const file = z.record(
  z.string(),
  z.object({
    current: z.nullable(z.string()),
    products: z.record(z.string(), z.object({ platform_key: z.string() })),
    engines: z._default(
      z.record(z.string(), z.object({ product_id: z.string(), user_id: z.string(), engine_key: z.string() })),
      {},
    ),
  }),
);
type Contents = z.output<typeof file>;
type Server = Contents[string];

/**
 * Stores keys for later commands by daemon, then by product and by engine. Only the owner can read the file, and each
 * change replaces it atomically.
 */
export class Credentials {
  readonly path: string;
  readonly #dir: string;
  readonly #url: string;

  constructor({ configDir, url }: { readonly configDir: string; readonly url: string }) {
    this.#dir = configDir;
    this.#url = url.replace(/\/+$/, "");
    this.path = join(configDir, "credentials.json");
  }

  async currentProduct(): Promise<string | null> {
    return (await this.#server()).current;
  }

  /** The slugs with a stored key. */
  async products(): Promise<readonly string[]> {
    return Object.keys((await this.#server()).products);
  }

  /** All stored keys of all daemons. Empty for an unreadable file. */
  async keys(): Promise<readonly string[]> {
    const servers = Object.values(await this.#read().catch((): Contents => ({})));
    return servers.flatMap(({ products, engines }) => [
      ...Object.values(products).map(({ platform_key: key }) => key),
      ...Object.values(engines).map(({ engine_key: key }) => key),
    ]);
  }

  /** The other daemons with a stored platform key. */
  async otherUrls(): Promise<readonly string[]> {
    const servers = Object.entries(await this.#read());
    return servers
      .filter(([url, { products }]) => url !== this.#url && Object.keys(products).length > 0)
      .map(([url]) => url);
  }

  async useProduct(slug: string): Promise<void> {
    await this.#change((server) => ({ ...server, current: slug }));
  }

  async platformKey(slug: string): Promise<string | null> {
    return (await this.#server()).products[slug]?.platform_key ?? null;
  }

  /** The first product becomes the current one. */
  async savePlatformKey(slug: string, key: string): Promise<void> {
    await this.#change((server) => ({
      ...server,
      current: server.current ?? slug,
      products: { ...server.products, [slug]: { platform_key: key } },
    }));
  }

  async forgetProduct({ slug, id }: { readonly slug: string; readonly id: string }): Promise<void> {
    await this.#change(({ current, products: { [slug]: _, ...products }, engines }) => ({
      current: current === slug ? null : current,
      products,
      engines: Object.fromEntries(Object.entries(engines).filter(([, engine]) => engine.product_id !== id)),
    }));
  }

  async engineKey(engineId: string): Promise<string | null> {
    return (await this.#server()).engines[engineId]?.engine_key ?? null;
  }

  async saveEngineKey({ id, product_id, user_id }: EngineRecord, key: string): Promise<void> {
    await this.#change((server) => ({
      ...server,
      engines: { ...server.engines, [id]: { product_id, user_id, engine_key: key } },
    }));
  }

  async forgetEngine(id: string): Promise<void> {
    if ((await this.engineKey(id)) === null) return;
    await this.#change(({ engines: { [id]: _, ...engines }, ...server }) => ({ ...server, engines }));
  }

  async #server(): Promise<Server> {
    return serverOf(await this.#read(), this.#url);
  }

  async #read(): Promise<Contents> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      const code = errorCode(error) || String(error);
      if (code === "ENOENT") return {};
      throw new CliFailure("unexpected", `${this.path} cannot be read (${code})`);
    }
    try {
      return z.parse(file, JSON.parse(text));
    } catch {
      throw new CliFailure("unexpected", `${this.path} is damaged; move it away and save the keys again`);
    }
  }

  /** Changes are serialized by a lock, so that concurrent commands do not lose a key that was shown once. */
  async #change(change: (server: Server) => Server): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const lock = await acquireLock(join(this.#dir, "credentials.lock"), LOCK_WAIT_MS);
    if (lock === null) throw new CliFailure("unexpected", `${this.path} is in use by another orchctl; retry`);
    try {
      const before = await this.#read();
      const contents = { ...before, [this.#url]: change(serverOf(before, this.#url)) };
      const draft = `${this.path}.${randomBytes(4).toString("hex")}`;
      await writeFile(draft, `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600, flag: "wx" });
      await rename(draft, this.path);
    } finally {
      lock.release();
    }
  }
}

const serverOf = (contents: Contents, url: string): Server =>
  contents[url] ?? { current: null, products: {}, engines: {} };
