import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { USER_TOKEN_TTL_S } from "../../contract/orchestrator/user-token.ts";
import type { Clock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import type { Db } from "../store/database.ts";
import type { SealedBox } from "../store/sealed-box.ts";
import { type TokenKey, findTokenKeys, replaceTokenKey } from "../store/token-keys.ts";

/** A key signs for this long. */
const SIGNS_MS = 30 * 86_400_000;
/** Another daemon may have replaced the key. */
const FRESH_MS = 60_000;
/** How long tokens of a replaced key are accepted: another daemon may sign with it until it reads the keys again. */
const OVERLAP_S = USER_TOKEN_TTL_S.MAX + FRESH_MS / 1000;
/** How often an unknown key id leads to a query. */
const RELOAD_MS = 1000;

/** The keys of end users' tokens, cached. */
export class SigningKeys {
  readonly #parts: { readonly db: Db; readonly box: SealedBox; readonly now: Clock };
  #keys: ReadonlyMap<string, TokenKey> = new Map();
  readonly #public = new Map<string, KeyObject>();
  #loadedAt = -Infinity;
  #loading: Promise<void> | null = null;

  constructor(parts: { readonly db: Db; readonly box: SealedBox; readonly now: Clock }) {
    this.#parts = parts;
  }

  /** The key that signs now. It is made at first use, and replaced when it is old. */
  async signing(): Promise<{ readonly kid: string; readonly key: KeyObject }> {
    const { db, box, now } = this.#parts;
    if (now() - this.#loadedAt > FRESH_MS) await this.#load();
    let current = this.#current();
    if (current === null || now() - current.createdAt.getTime() > SIGNS_MS) {
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      const made = {
        kid: newId("tkk"),
        sealedPrivateKey: box.seal(privateKey.export({ type: "pkcs8", format: "pem" }).toString()),
        publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
      };
      await replaceTokenKey(db, made, current?.kid ?? null);
      await this.#load();
      current = this.#current();
    }
    if (current === null) throw new Error("no key signs tokens");
    return { kid: current.kid, key: createPrivateKey(box.open(current.sealedPrivateKey)) };
  }

  /** The key that a token names. Null when no such key is accepted. */
  async verifying(kid: string): Promise<KeyObject | null> {
    const { now } = this.#parts;
    const age = now() - this.#loadedAt;
    if (age > FRESH_MS || (!this.#keys.has(kid) && age > RELOAD_MS)) await this.#load();
    const key = this.#keys.get(kid);
    if (key === undefined) return null;
    const known = this.#public.get(kid) ?? createPublicKey(key.publicKey);
    this.#public.set(kid, known);
    return known;
  }

  #current(): TokenKey | null {
    return [...this.#keys.values()].find(({ signs }) => signs) ?? null;
  }

  /** Shared, so that a flood of unknown key ids occupies one connection. */
  #load(): Promise<void> {
    this.#loading ??= this.#read().finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #read(): Promise<void> {
    const at = this.#parts.now();
    const keys = await findTokenKeys(this.#parts.db, OVERLAP_S);
    this.#keys = new Map(keys.map((key) => [key.kid, key]));
    for (const kid of this.#public.keys()) if (!this.#keys.has(kid)) this.#public.delete(kid);
    this.#loadedAt = at;
  }
}
