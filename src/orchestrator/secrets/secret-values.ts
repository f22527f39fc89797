import { dataKeyOf } from "../store/data-keys.ts";
import type { Db } from "../store/database.ts";
import type { SealedBox } from "../store/sealed-box.ts";
import type { SecretRow } from "../store/secret-tables.ts";
import { type SecretKey, findSecretFor, markSecretUsed } from "../store/secrets.ts";
import { type SecretSources, readSource } from "./read-source.ts";

/** A value that was read from the outside is kept this long. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1000;

/** A secret with its value, for the broker alone. */
export interface OpenSecret extends Pick<SecretRow, "hosts" | "place" | "header" | "prefix"> {
  readonly value: string;
}

interface Kept {
  readonly value: Promise<string>;
  readonly until: number;
}

/** The values of the vault. They are opened for a request that carries one, and for nothing else. */
export class SecretValues {
  readonly sources: SecretSources;
  readonly #records: { readonly db: Db; readonly box: SealedBox };
  /** Of values from the outside, by where they come from. */
  readonly #kept = new Map<string, Kept>();

  constructor(records: { readonly db: Db; readonly box: SealedBox }, sources: SecretSources) {
    this.#records = records;
    this.sources = sources;
  }

  /** The secret of this name for a user: the user's own, otherwise the product's. Null when there is none. */
  async open(key: SecretKey): Promise<OpenSecret | null> {
    const { db } = this.#records;
    const row = await findSecretFor(db, key);
    if (row === null) return null;
    const { hosts, place, header, prefix } = row;
    const value = await this.#valueOf(row);
    await markSecretUsed(db, row);
    return { value, hosts, place, header, prefix };
  }

  /** Forgets what was read for a secret that is set again: the operator expects it to be read anew. */
  changed(from: string | null | undefined): void {
    if (typeof from === "string") this.#kept.delete(from);
  }

  async #valueOf({ product_id: productId, user_id: userId, name, sealed, source }: SecretRow): Promise<string> {
    if (source !== null) return this.#fromOutside(source);
    if (sealed === null) throw new Error("a secret has neither a value nor a source");
    const key = await dataKeyOf(this.#records, this.#records.db, productId);
    return key.open(sealed, secretContext({ productId, userId, name }));
  }

  /** Concurrent requests share one read. A failure is not kept. */
  #fromOutside(source: string): Promise<string> {
    const now = performance.now();
    const known = this.#kept.get(source);
    if (known !== undefined && known.until > now) return known.value;
    const value = readSource(this.sources, source);
    this.#kept.delete(source);
    const oldest = this.#kept.size < MAX_KEPT ? undefined : this.#kept.keys().next().value;
    if (oldest !== undefined) this.#kept.delete(oldest);
    const kept = { value, until: now + KEPT_MS };
    this.#kept.set(source, kept);
    value.catch(() => {
      if (this.#kept.get(source) === kept) this.#kept.delete(source);
    });
    return value;
  }
}

/** What a sealed value is bound to. */
export const secretContext = ({ productId, userId, name }: SecretKey): readonly string[] => [productId, userId, name];
