const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
export const RANDOM_LENGTH = 32;
export const CHECK_LENGTH = 6;

export const PLATFORM_KEY_PREFIX = "orchp_";
export const ENGINE_KEY_PREFIX = "sk-orch-";

/** The format of keys. It uses no module of Node.js, since browsers create platform keys too. */
interface KeySources {
  readonly randomBytes: (count: number) => Uint8Array;
  /** Of ASCII text. */
  readonly crc32: (text: string) => number;
}

/** A new key: prefix, 32 random base62 characters (190 bits) and 6 characters of checksum. */
export function formatKey(prefix: string, { randomBytes, crc32 }: KeySources): string {
  const body = prefix + randomBase62(randomBytes);
  return body + checkDigits(crc32(body));
}

/** A CRC-32 in base 62: a mistyped key is refused without a look-up. */
export function checkDigits(crc: number): string {
  let value = crc;
  let digits = "";
  for (let index = 0; index < CHECK_LENGTH; index++) {
    digits = BASE62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

function randomBase62(randomBytes: KeySources["randomBytes"]): string {
  let text = "";
  while (text.length < RANDOM_LENGTH) {
    // 248 is the largest multiple of 62 in a byte. Larger bytes would favour some letters.
    for (const byte of randomBytes(RANDOM_LENGTH))
      if (byte < 248 && text.length < RANDOM_LENGTH) text += BASE62.charAt(byte % 62);
  }
  return text;
}
