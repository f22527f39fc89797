import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { CHECK_LENGTH, RANDOM_LENGTH, checkDigits, formatKey } from "../key-format.ts";

export { ENGINE_KEY_PREFIX, PLATFORM_KEY_PREFIX } from "../key-format.ts";

/** A stored key: its hash and what identifies it, never the key itself. */
export interface StoredKey {
  /** SHA-256, 64 lower-case hex digits. */
  readonly hash: string;
  /** The first 10 characters, which identify a key to people. */
  readonly prefix: string;
  readonly last4: string;
}

/** A new key in our format. */
export const newKey = (prefix: string): string => formatKey(prefix, { randomBytes, crc32 });

/** False for a key with our prefix and a wrong checksum, so that a typo needs no look-up. Other formats pass. */
export function plausibleKey(prefix: string, key: string): boolean {
  if (!key.startsWith(prefix)) return true;
  const body = key.slice(0, -CHECK_LENGTH);
  return (
    key.length === prefix.length + RANDOM_LENGTH + CHECK_LENGTH && checkDigits(crc32(body)) === key.slice(-CHECK_LENGTH)
  );
}

export function storedKey(key: string): StoredKey {
  return { hash: sha256(key), prefix: key.slice(0, 10), last4: key.slice(-4) };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares two strings in constant time, whatever their lengths are. */
export function sameSecret(left: string, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
