/** Values of ASN.1 by the Distinguished Encoding Rules (X.690), as certificates have them. */
export type Der = Buffer;

export function value(tag: number, ...parts: readonly Uint8Array[]): Der {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export const sequence = (...parts: readonly Uint8Array[]): Der => value(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Der => value(0x31, ...parts);
export const octets = (bytes: Uint8Array): Der => value(0x04, bytes);
export const bits = (bytes: Uint8Array, unused = 0): Der => value(0x03, Buffer.from([unused]), bytes);
export const text = (words: string): Der => value(0x0c, Buffer.from(words, "utf8"));
export const TRUE: Der = value(0x01, Buffer.from([0xff]));

/** A positive number, from its bytes. */
export const integer = (bytes: Uint8Array): Der =>
  value(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes);

/** Tagged by its place in a structure; `isConstructed` when it consists of other values. */
export const tagged = (number: number, isConstructed: boolean, ...parts: readonly Uint8Array[]): Der =>
  value((isConstructed ? 0xa0 : 0x80) | number, ...parts);

/** A dotted name of an object. */
export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let left = number >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** A time of the years 1950 to 2049, to the second. */
export const time = (at: Date): Der =>
  value(0x17, Buffer.from(at.toISOString().replace(/^..(..)-(..)-(..)T(..):(..):(..).*$/, "$1$2$3$4$5$6Z")));
