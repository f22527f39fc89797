import type { EngineRecord } from "../src/client/records.ts";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../src/shared/error-code.ts";
import * as z from "zod/mini";
import { acquireLock } from "../src/shared/file-lock.ts";
import { lazily } from "../src/shared/lazily.ts";
import { CliFailure } from "./exit-codes.ts";

const LOCK_WAIT_MS = 10_000;

/**
 * By a name that is the first address, or for a further host at the same address `<address>#<host id>`. Earlier versions
 * of orchctl read the file too: for them the name is the address.
 */
const file = lazily(() =>
  z.record(
    z.string(),
    z.object({
      /** The id that the daemon gave; null for keys that an earlier version stored. */
      host_id: z._default(z.nullable(z.string()), null),
      /** The addresses to which the keys are sent. */
      urls: z.optional(z.array(z.string())),
      current: z.nullable(z.string()),
      products: z.record(z.string(), z.object({ platform_key: z.string() })),
      engines: z._default(
        z.record(z.string(), z.object({ product_id: z.string(), user_id: z.string(), engine_key: z.string() })),
        {},
      ),
    }),
  ),
);
type Contents = z.output<ReturnType<typeof file>>;
type Host = Contents[string];

/** What tells which host an address leads to. */
export interface HostIdentity {
  /** The id that the daemon at the address gives; null if it is of a version that gives none. */
  readonly hostId: () => Promise<string | null>;
  /** Whether files of this machine prove that this host listens at the address. */
  readonly isOwnHost: (hostId: string) => Promise<boolean>;
}

interface CredentialsOptions extends HostIdentity {
  readonly configDir: string;
  readonly url: string;
}

/** Stored keys of the host that answers, which were never sent to this address. */
export interface UnpairedHost {
  readonly name: string;
  readonly hostId: string;
  readonly urls: readonly string[];
}

/**
 * Stores keys for later commands by host, then by product and by engine. Only the owner can read the file, and each
 * change replaces it atomically. Keys are sent only to an address that is paired with their host, and only while the
 * daemon there gives the id of this host: anybody can give the id of another host.
 */
export class Credentials {
  readonly path: string;
  readonly #options: CredentialsOptions;
  readonly #url: string;

  constructor(options: CredentialsOptions) {
    this.#options = options;
    this.#url = options.url.replace(/\/+$/, "");
    this.path = join(options.configDir, "credentials.json");
  }

  async currentProduct(): Promise<string | null> {
    return (await this.#host()).current;
  }

  /** The slugs with a stored key. */
  async products(): Promise<readonly string[]> {
    return Object.keys((await this.#host()).products);
  }

  /** All stored keys of all daemons. Empty for an unreadable file. */
  async keys(): Promise<readonly string[]> {
    const hosts = Object.values(await this.#read().catch((): Contents => ({})));
    return hosts.flatMap(({ products, engines }) => [
      ...Object.values(products).map(({ platform_key: key }) => key),
      ...Object.values(engines).map(({ engine_key: key }) => key),
    ]);
  }

  /** Where the other daemons with a stored platform key are. */
  async otherUrls(): Promise<readonly string[]> {
    const contents = await this.#read();
    const own = await this.#find(contents);
    return Object.entries(contents)
      .filter(([name, { products }]) => name !== own && Object.keys(products).length > 0)
      .map(([name, host]) => {
        const [first = name] = urlsOf(name, host);
        return first === this.#url ? `another host at this address (${host.host_id})` : first;
      });
  }

  async useProduct(slug: string): Promise<void> {
    await this.#change((host) => ({ ...host, current: slug }));
  }

  async platformKey(slug: string): Promise<string | null> {
    return (await this.#host()).products[slug]?.platform_key ?? null;
  }

  /** The first product becomes the current one. */
  async savePlatformKey(slug: string, key: string): Promise<void> {
    await this.#change((host) => ({
      ...host,
      current: host.current ?? slug,
      products: { ...host.products, [slug]: { platform_key: key } },
    }));
  }

  async forgetProduct({ slug, id }: { readonly slug: string; readonly id: string }): Promise<void> {
    await this.#change(({ products: { [slug]: _, ...products }, ...host }) => ({
      ...host,
      current: host.current === slug ? null : host.current,
      products,
      engines: Object.fromEntries(Object.entries(host.engines).filter(([, engine]) => engine.product_id !== id)),
    }));
  }

  async engineKey(engineId: string): Promise<string | null> {
    return (await this.#host()).engines[engineId]?.engine_key ?? null;
  }

  async saveEngineKey({ id, product_id, user_id }: EngineRecord, key: string): Promise<void> {
    await this.#change((host) => ({
      ...host,
      engines: { ...host.engines, [id]: { product_id, user_id, engine_key: key } },
    }));
  }

  async forgetEngine(id: string): Promise<void> {
    if ((await this.engineKey(id)) === null) return;
    await this.#change(({ engines: { [id]: _, ...engines }, ...host }) => ({ ...host, engines }));
  }

  /** The stored keys that need a person's consent before they are sent to this address. */
  async unpaired(): Promise<UnpairedHost | null> {
    const unpaired = await this.#findUnpaired();
    if (unpaired === null || !(await this.#options.isOwnHost(unpaired.hostId))) return unpaired;
    await this.pair(unpaired);
    return null;
  }

  /** Whether files of this machine prove that its daemon listens at the address. */
  async isOwnHost(): Promise<boolean> {
    const hostId = await this.#hostId();
    return hostId !== null && this.#options.isOwnHost(hostId);
  }

  async #findUnpaired(): Promise<UnpairedHost | null> {
    const contents = await this.#read();
    if (Object.keys(contents).length === 0 || (await this.#find(contents)) !== null) return null;
    const hostId = await this.#hostId();
    // The oldest: a daemon that gave the id of another host comes later.
    const found = Object.entries(contents).find(([, host]) => hostId !== null && host.host_id === hostId);
    if (found === undefined || hostId === null) return null;
    const [name, host] = found;
    return { name, hostId, urls: urlsOf(name, host) };
  }

  /** Sends the keys of this host to this address too, from now on. */
  async pair({ name }: UnpairedHost): Promise<void> {
    await this.#write((contents) => {
      const host = contents[name];
      if (host === undefined) return contents;
      return { ...contents, [name]: { ...host, urls: [...urlsOf(name, host), this.#url] } };
    });
  }

  async #host(): Promise<Host> {
    const contents = await this.#read();
    const name = await this.#find(contents);
    const host = name === null ? undefined : contents[name];
    if (host === undefined) return newHost(null, this.#url);
    // From now on the keys that an earlier version stored are this host's.
    if (host.host_id === null && (await this.#hostId()) !== null) await this.#change((unchanged) => unchanged);
    return host;
  }

  /**
   * The name of the host that answers at this address and is paired with it. Keys that an earlier version stored for the
   * address are those of the first host that answers there.
   */
  async #find(contents: Contents): Promise<string | null> {
    const here = Object.entries(contents).filter(([name, host]) => urlsOf(name, host).includes(this.#url));
    if (here.length === 0) return null;
    const hostId = await this.#hostId();
    const found = here.find(([, host]) => host.host_id === hostId) ?? here.find(([, host]) => host.host_id === null);
    return found?.[0] ?? null;
  }

  #knownId: Promise<string | null> | undefined;
  #hostId(): Promise<string | null> {
    return (this.#knownId ??= this.#options.hostId());
  }

  /** Keys of a host that is not paired with this address get an entry of their own. */
  async #change(change: (host: Host) => Host): Promise<void> {
    await this.unpaired();
    const hostId = await this.#hostId();
    await this.#write(async (contents) => {
      const found = await this.#find(contents);
      const name = found ?? (Object.hasOwn(contents, this.#url) ? `${this.#url}#${hostId ?? "unknown"}` : this.#url);
      const host = change(contents[name] ?? newHost(hostId, this.#url));
      return { ...contents, [name]: { ...host, host_id: host.host_id ?? hostId } };
    });
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
      return z.parse(file(), JSON.parse(text));
    } catch {
      throw new CliFailure("unexpected", `${this.path} is damaged; move it away and save the keys again`);
    }
  }

  /** Changes are serialized by a lock, so that concurrent commands do not lose a key that was shown once. */
  async #write(change: (contents: Contents) => Contents | Promise<Contents>): Promise<void> {
    const { configDir } = this.#options;
    await mkdir(configDir, { recursive: true, mode: 0o700 });
    const lock = await acquireLock(join(configDir, "credentials.lock"), LOCK_WAIT_MS);
    if (lock === null) throw new CliFailure("unexpected", `${this.path} is in use by another orchctl; retry`);
    try {
      const contents = await change(await this.#read());
      const draft = `${this.path}.${randomBytes(4).toString("hex")}`;
      await writeFile(draft, `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600, flag: "wx" });
      await rename(draft, this.path);
    } finally {
      lock.release();
    }
  }
}

const newHost = (hostId: string | null, url: string): Host => ({
  host_id: hostId,
  urls: [url],
  current: null,
  products: {},
  engines: {},
});

const urlsOf = (name: string, { urls }: Host): readonly string[] => urls ?? [name];
