export type Line =
  /** A view of what came: whoever keeps it copies it. */
  | { readonly kind: "line"; readonly bytes: Buffer }
  /** Longer than allowed and dropped; its two ends, by which it may be told what it was. */
  | { readonly kind: "too_long"; readonly head: string; readonly tail: string; readonly bytes: number };

const END_BYTES = 200;
const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines, keeping at most `maxBytes` of an unfinished one. */
export class LineReader {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** The beginning of a line that is being dropped. */
  #droppedHead: string | null = null;
  #tail: Buffer = Buffer.alloc(0);

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

  #whole(): Buffer {
    const [first, ...more] = this.#parts;
    return first !== undefined && more.length === 0 ? first : Buffer.concat(this.#parts);
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#droppedHead !== null) {
      this.#tail = Buffer.concat([this.#tail, part.subarray(-END_BYTES)]).subarray(-END_BYTES);
      return;
    }
    this.#parts.push(part);
    if (this.#bytes <= this.#maxBytes) return;
    const kept = Buffer.concat(this.#parts);
    this.#droppedHead = kept.toString("utf8", 0, END_BYTES);
    // A copy: a view would keep all of the line.
    this.#tail = Buffer.from(kept.subarray(-END_BYTES));
    this.#parts = [];
  }

  #finish(): Line {
    const line: Line =
      this.#droppedHead === null
        ? { kind: "line", bytes: this.#whole() }
        : { kind: "too_long", head: this.#droppedHead, tail: this.#tail.toString("utf8"), bytes: this.#bytes };
    this.#parts = [];
    this.#bytes = 0;
    this.#droppedHead = null;
    this.#tail = Buffer.alloc(0);
    return line;
  }
}
