import { InvalidInput } from "../parse.ts";

interface JsonLimits {
  /** Every field, list item, object and list counts. */
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

/** One pass over the bytes. Whether they are JSON at all is for the parser to say. */
function assertWithin({ maxValues, maxDepth }: JsonLimits, bytes: Uint8Array): void {
  let values = 1;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
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
