export type Line =
  /** A view of the received buffer: copy it to keep it. */
  | { readonly kind: "line"; readonly bytes: Buffer }
  /** Longer than the limit and dropped; its ends may hold the id of the request it answers. */
  | { readonly kind: "too_long"; readonly head: string; readonly tail: string; readonly bytes: number };

const END_BYTES = 200;
const NEWLINE = 0x0a;

/** Splits a byte stream into lines; keeps at most `maxBytes` of an unfinished one. */
export class LineReader {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Set while the current line is being dropped. */
  #head: string | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *take(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      from = at + 1;
      yield this.#finish();
    }
    this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    this.#parts.push(part);
    if (this.#bytes <= this.#maxBytes) return;
    const kept = Buffer.concat(this.#parts);
    this.#head ??= kept.toString("utf8", 0, END_BYTES);
    // A copy: a view would retain the whole buffer.
    this.#parts = [Buffer.from(kept.subarray(-END_BYTES))];
  }

  #finish(): Line {
    const [first, ...more] = this.#parts;
    const bytes = first !== undefined && more.length === 0 ? first : Buffer.concat(this.#parts);
    const line: Line =
      this.#head === null
        ? { kind: "line", bytes }
        : { kind: "too_long", head: this.#head, tail: bytes.toString("utf8"), bytes: this.#bytes };
    this.#parts = [];
    this.#bytes = 0;
    this.#head = null;
    return line;
  }
}
