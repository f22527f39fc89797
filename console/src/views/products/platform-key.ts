import type { PlatformKeyHash } from "@orchd/client";
import { PLATFORM_KEY_PREFIX, formatKey } from "../../../../src/contract/key-format.ts";

/** A new platform key. It is made here, so that it never travels. */
export const newPlatformKey = (): string =>
  formatKey(PLATFORM_KEY_PREFIX, { randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)), crc32 });

/** What the daemon gets of a key: its hash, and enough to recognise it. */
export async function hashOf(key: string): Promise<PlatformKeyHash> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return {
    hash: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""),
    prefix: key.slice(0, 10),
    last4: key.slice(-4),
  };
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
