import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Longer than any key with what it carries. */
const MAX_LENGTH = 16_384;

/** A kind of key with which an engine calls the broker. */
export interface SealedKind {
  readonly prefix: string;
  /** Authenticated with the key, so that one kind cannot be taken for another. */
  readonly purpose: string;
}

/** A key that carries a value, sealed by AES-256-GCM. Its holder cannot read it. */
export function sealKey({ prefix, purpose }: SealedKind, sealingKey: Uint8Array, value: unknown): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
}

/** The value of a key. Null for one of another kind or sealing key, or that was altered. */
export function openKey({ prefix, purpose }: SealedKind, sealingKey: Uint8Array, key: string): unknown {
  if (!key.startsWith(prefix) || key.length > MAX_LENGTH) return null;
  const sealed = Buffer.from(key.slice(prefix.length), "base64url");
  if (sealed.length <= NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", sealingKey, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  }).setAAD(Buffer.from(purpose));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const body = [decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(body).toString("utf8"));
  } catch {
    return null;
  }
}
