import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;

export const PLATFORM_KEY_PREFIX = "orchp_";
export const ENGINE_KEY_PREFIX = "sk-orch-";

/** A key as it is stored: never the key itself. */
export interface StoredKey {
  /** SHA-256, 64 lower-case hex digits. */
  readonly hash: string;
  /** The first 10 characters, to recognise a key. */
  readonly prefix: string;
  readonly last4: string;
}

/** A new key: prefix, 32 random base62 characters (190 bits) and 6 characters of checksum. */
export function newKey(prefix: string): string {
  const random = randomBase62(RANDOM_LENGTH);
  return prefix + random + checksum(prefix + random);
}

/** False for a key with our prefix and a wrong checksum, so that a typo costs no look-up. Other formats pass. */
export function plausibleKey(prefix: string, key: string): boolean {
  if (!key.startsWith(prefix)) return true;
  const body = key.slice(0, -CHECK_LENGTH);
  return key.length === prefix.length + RANDOM_LENGTH + CHECK_LENGTH && checksum(body) === key.slice(-CHECK_LENGTH);
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

function checksum(text: string): string {
  let value = crc32(text);
  let digits = "";
  for (let index = 0; index < CHECK_LENGTH; index++) {
    digits = BASE62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte. Larger bytes would favour some letters.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
  }
  return text;
}
