import { InvalidInput } from "../../../shared/parse.ts";

/** Larger than any record: a message of 1 MiB with each character escaped. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** The non-empty lines of a chunked file, one in memory at a time. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let number = 1;
  const hold = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes > MAX_LINE_BYTES) throw new InvalidInput(`line ${number}`, `expected at most ${MAX_LINE_BYTES} bytes`);
    parts.push(part);
  };
  const line = (): FileLine => {
    const bytesOfLine = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    [parts, bytes] = [[], 0];
    try {
      return { number: number++, text: decoder.decode(bytesOfLine).trim() };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new InvalidInput(`line ${number - 1}`, "expected UTF-8");
    }
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let to = piece.indexOf(LINE_FEED); to !== -1; to = piece.indexOf(LINE_FEED, from)) {
      hold(piece.subarray(from, to));
      from = to + 1;
      const read = line();
      if (read.text !== "") yield read;
    }
    if (from < piece.length) hold(piece.subarray(from));
  }
  const last = line();
  if (last.text !== "") yield last;
}
