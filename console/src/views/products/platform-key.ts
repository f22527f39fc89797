import type { PlatformKeyHash } from "@orchd/client";

const PREFIX = "orchp_";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;

/** A new platform key in the daemon's own format. It is made here, so that it never travels. */
export function newPlatformKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** What the daemon gets of a key: its hash, and enough to recognise it. */
export async function hashOf(key: string): Promise<PlatformKeyHash> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return {
    hash: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""),
    prefix: key.slice(0, 10),
    last4: key.slice(-4),
  };
}

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte. Larger bytes would favour some letters.
    for (const byte of crypto.getRandomValues(new Uint8Array(length)))
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
  }
  return text;
}

/** The CRC-32 in base 62: the daemon refuses a mistyped key without a look-up. */
function checksum(text: string): string {
  let value = crc32(text);
  let digits = "";
  for (let index = 0; index < CHECK_LENGTH; index++) {
    digits = BASE62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** Of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
