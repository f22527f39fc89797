import { InvalidInput } from "../parse.ts";

export interface JsonLimits {
  /** The limit of values: fields, array items, objects and arrays. */
  readonly maxValues: number;
  readonly maxDepth: number;
}

/**
 * Reads the bytes of a request body as JSON; undefined when there are none. Parsing and validating cost time by the
 * number of values, not of bytes, so values are counted before anything is parsed.
 */
export function parseJsonBody(bytes: Uint8Array, limits: JsonLimits): unknown {
  if (bytes.length === 0) return undefined;
  assertWithin(limits, bytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const detail = error instanceof Error ? `: ${error.message}` : "";
    throw new InvalidInput("body", `expected JSON in UTF-8${detail.slice(0, 120)}`);
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts values in one pass over the bytes. The parser checks later whether they are valid JSON. */
function assertWithin({ maxValues, maxDepth }: JsonLimits, bytes: Uint8Array): void {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1);
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      values++;
      depth++;
      if (depth > maxDepth) throw new InvalidInput("body", `expected at most ${maxDepth} levels`);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth--;
    } else if (byte === COMMA) {
      values++;
    }
    if (values > maxValues) throw new InvalidInput("body", `expected at most ${maxValues} values`);
  }
}

/** The closing quote, or the end of the bytes. A quote after an odd number of backslashes belongs to the string. */
function endOfString(bytes: Uint8Array, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote;
    while (before > from && bytes[before - 1] === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return bytes.length;
}
