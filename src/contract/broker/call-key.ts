import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { ProviderName } from "../settings/model-name.ts";

/** The providers that are called over the network. */
export type CalledProvider = Exclude<ProviderName, "sandbox">;

/** Where a call of an engine goes, and with which key. */
export interface ModelRoute {
  readonly engine: string;
  readonly incarnation: string;
  readonly provider: CalledProvider;
  /** Null for a server without keys. */
  readonly apiKey: string | null;
  /** Null for the provider's own address. */
  readonly baseUrl: string | null;
  /** Only for `bedrock`. */
  readonly region: string | null;
}

const PREFIX = "orchm_";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Longer than any route with a provider's key. */
const MAX_LENGTH = 16_384;

/** The key that seals routes, from a secret of the deployment. The broker has no other part of that secret. */
export const sealingKeyOf = (secret: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", "orchd broker", 32));

/**
 * The key with which an engine calls the broker: its route, sealed by AES-256-GCM. So the broker stores nothing, and a
 * broker that was restarted knows every engine. The engine cannot read it.
 */
export function sealCallKey(sealingKey: Uint8Array, route: ModelRoute): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(route), "utf8"), cipher.final()]);
  return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
}

/** Null for a key that was not sealed with this sealing key, or was altered. */
export function openCallKey(sealingKey: Uint8Array, key: string): ModelRoute | null {
  if (!isCallKey(key) || key.length > MAX_LENGTH) return null;
  const sealed = Buffer.from(key.slice(PREFIX.length), "base64url");
  if (sealed.length <= NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", sealingKey, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const body = [decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(body).toString("utf8")) as ModelRoute;
  } catch {
    return null;
  }
}

/** Whether a key is one with which an engine calls the broker, and not a provider's. */
export const isCallKey = (key: string | undefined): boolean => key?.startsWith(PREFIX) === true;
