import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { CliFailure } from "./exit-codes.ts";

const file = z.record(
  z.string(),
  z.object({
    current: z.nullable(z.string()),
    products: z.record(z.string(), z.object({ platform_key: z.string(), engines: z.record(z.string(), z.string()) })),
  }),
);
type Contents = z.output<typeof file>;
type Server = Contents[string];

/**
 * The keys that were shown once, kept for the next command: by daemon, product and user, in a file only its owner can
 * read, replaced whole at each change.
 */
export class Credentials {
  readonly path: string;
  readonly #dir: string;
  readonly #url: string;

  constructor({ configDir, url }: { readonly configDir: string; readonly url: string }) {
    this.#dir = configDir;
    this.#url = url;
    this.path = join(configDir, "credentials.json");
  }

  async currentProduct(): Promise<string | null> {
    return (await this.#server()).current;
  }

  async useProduct(slug: string): Promise<void> {
    await this.#change((server) => ({ ...server, current: slug }));
  }

  async platformKey(slug: string): Promise<string | null> {
    return (await this.#server()).products[slug]?.platform_key ?? null;
  }

  /** Also makes the product the current one. */
  async savePlatformKey(slug: string, key: string): Promise<void> {
    await this.#change((server) => {
      const engines = server.products[slug]?.engines ?? {};
      return { current: slug, products: { ...server.products, [slug]: { platform_key: key, engines } } };
    });
  }

  async forgetProduct(slug: string): Promise<void> {
    await this.#change(({ current, products: { [slug]: _, ...products } }) => ({
      current: current === slug ? null : current,
      products,
    }));
  }

  async engineKey(slug: string, user: string): Promise<string | null> {
    return (await this.#server()).products[slug]?.engines[user] ?? null;
  }

  /** Null forgets it. Nothing is kept for a product whose key is not kept. */
  async saveEngineKey(slug: string, user: string, key: string | null): Promise<boolean> {
    let saved = false;
    await this.#change((server) => {
      const product = server.products[slug];
      if (product === undefined) return server;
      const { [user]: _, ...others } = product.engines;
      saved = key !== null;
      const engines = key === null ? others : { ...others, [user]: key };
      return { ...server, products: { ...server.products, [slug]: { ...product, engines } } };
    });
    return saved;
  }

  async #server(): Promise<Server> {
    return (await this.#read())[this.#url] ?? { current: null, products: {} };
  }

  async #read(): Promise<Contents> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
      throw error;
    }
    try {
      return z.parse(file, JSON.parse(text));
    } catch (error) {
      throw new CliFailure(
        "unexpected",
        `${this.path} is damaged; move it away and save the keys anew (${String(error).slice(0, 100)})`,
      );
    }
  }

  async #change(change: (server: Server) => Server): Promise<void> {
    const contents = { ...(await this.#read()), [this.#url]: change(await this.#server()) };
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${randomBytes(4).toString("hex")}`;
    await writeFile(draft, `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(draft, this.path);
  }
}
