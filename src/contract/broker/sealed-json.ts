import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals a value by AES-256-GCM, as a text that begins with `prefix`. */
export function sealJson(sealingKey: Uint8Array, prefix: string, value: object): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce);
  // The prefix is authenticated: what was sealed for one purpose is worth nothing for another.
  cipher.setAAD(Buffer.from(prefix));
  const body = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
}

/** Null for a text that was not sealed with this key and prefix, or was altered. */
export function openJson(sealingKey: Uint8Array, prefix: string, text: string): unknown {
  if (!text.startsWith(prefix)) return null;
  const sealed = Buffer.from(text.slice(prefix.length), "base64url");
  if (sealed.length <= NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", sealingKey, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(prefix));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const body = [decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(body).toString("utf8"));
  } catch {
    return null;
  }
}
