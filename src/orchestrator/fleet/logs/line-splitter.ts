import { MAX_LOG_LINE } from "./redact-line.ts";

const NEWLINE = 0x0a;

/** Splits chunks of a log into lines. */
export class LineSplitter {
  #rest: Buffer;

  /** `rest`: an unfinished line. */
  constructor(rest: Buffer = Buffer.alloc(0)) {
    this.#rest = rest;
  }

  /** The lines that the chunk finishes. */
  push(chunk: Buffer): readonly string[] {
    const text = Buffer.concat([this.#rest, chunk]);
    const end = text.lastIndexOf(NEWLINE);
    // An unfinished line is buffered only up to a length that is not shown whole, whatever its characters.
    this.#rest = text.subarray(end + 1).subarray(0, 4 * MAX_LOG_LINE);
    return end < 0 ? [] : text.toString("utf8", 0, end).split("\n");
  }

  /** The unfinished line, if there is one. */
  rest(): readonly string[] {
    return this.#rest.length === 0 ? [] : [this.#rest.toString("utf8")];
  }
}
