import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import {
  IDENTITY_ALGORITHM,
  IDENTITY_KEYS_MAX_AGE_S,
  IDENTITY_TOKEN_S,
  type IdentityClaims,
  type IdentityKeys,
} from "../../contract/orchestrator/identity-token.ts";
import type { Clock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { lazily } from "../../shared/lazily.ts";
import type { Db } from "../store/database.ts";
import { type IdentityKey, addFirstIdentityKey, findIdentityKeys } from "../store/identity-keys.ts";
import type { SealedBox } from "../store/sealed-box.ts";

/** Another daemon may have rotated the keys. */
const FRESH_MS = 60_000;
/** Clocks of products differ. */
const SKEW_S = 60;
/** A replaced key is published until a daemon that has not read the keys again signs no more, and its last token has ended. */
export const OVERLAP_S = IDENTITY_TOKEN_S + FRESH_MS / 1000 + SKEW_S;
/** A new key signs when every daemon publishes it, and readers have forgotten the keys before. */
export const LEAD_S = IDENTITY_KEYS_MAX_AGE_S + FRESH_MS / 1000 + SKEW_S;

const jose = lazily(() => import("jose"));

interface Loaded {
  readonly at: number;
  readonly set: IdentityKeys;
  readonly signer: { readonly kid: string; readonly key: KeyObject };
}

/** Signs tokens that say for which user an agent acts, and publishes the keys that verify them. */
export class IdentityTokens {
  readonly #parts: { readonly db: Db; readonly box: SealedBox; readonly now: Clock };
  #loaded: Loaded | null = null;
  #loading: Promise<Loaded> | null = null;
  /** Counts rotations, so that keys that were read before one are not kept after it. */
  #generation = 0;

  constructor(parts: { readonly db: Db; readonly box: SealedBox; readonly now: Clock }) {
    this.#parts = parts;
  }

  /** A token of five minutes. */
  async sign(issuer: string, { userId, product, engineId, agent, audience }: IdentityClaims): Promise<string> {
    const { SignJWT } = await jose();
    const { signer } = await this.#current();
    const act = { engine: engineId, ...(agent !== null && { agent }) };
    const at = Math.floor(this.#parts.now() / 1000);
    return new SignJWT({ product, act })
      .setProtectedHeader({ alg: IDENTITY_ALGORITHM, kid: signer.kid, typ: "JWT" })
      .setIssuer(issuer)
      .setSubject(userId)
      .setAudience(audience)
      .setJti(newId("idt"))
      .setIssuedAt(at)
      .setExpirationTime(at + IDENTITY_TOKEN_S)
      .sign(signer.key);
  }

  /** At most one query a minute, however often it is called. */
  async published(): Promise<IdentityKeys> {
    return (await this.#current()).set;
  }

  /** After a rotation by this daemon. */
  forget(): void {
    this.#generation++;
    this.#loaded = null;
    this.#loading = null;
  }

  #current(): Promise<Loaded> {
    if (this.#loaded !== null && this.#parts.now() - this.#loaded.at < FRESH_MS) return Promise.resolve(this.#loaded);
    if (this.#loading !== null) return this.#loading;
    const loading = this.#load().finally(() => {
      if (this.#loading === loading) this.#loading = null;
    });
    this.#loading = loading;
    return loading;
  }

  async #load(): Promise<Loaded> {
    const { db, box, now } = this.#parts;
    const [at, generation] = [now(), this.#generation];
    let keys = await findIdentityKeys(db, OVERLAP_S);
    if (keys.length === 0) {
      await addFirstIdentityKey(db, newIdentityKey(box));
      keys = await findIdentityKeys(db, OVERLAP_S);
    }
    const signer = keys.find(({ signs }) => signs);
    if (signer === undefined) throw new Error("no key signs identity tokens");
    const key = createPrivateKey(box.open(signer.sealedPrivateKey));
    const loaded = { at, set: { keys: keys.map(publicJwk) }, signer: { kid: signer.kid, key } };
    if (generation === this.#generation) this.#loaded = loaded;
    return loaded;
  }
}

/** A key pair, its private part sealed. */
export function newIdentityKey(box: SealedBox): Pick<IdentityKey, "kid" | "sealedPrivateKey" | "publicKey"> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    kid: newId("idk"),
    sealedPrivateKey: box.seal(privateKey.export({ type: "pkcs8", format: "pem" }).toString()),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}

function publicJwk({ kid, publicKey }: IdentityKey): IdentityKeys["keys"][number] {
  const { x = "", y = "" } = createPublicKey(publicKey).export({ format: "jwk" });
  return { kid, kty: "EC", crv: "P-256", alg: IDENTITY_ALGORITHM, use: "sig", x, y };
}
