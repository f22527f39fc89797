import { MAX_LINE_LENGTH, readLines, tooLong } from "./read-lines.ts";

/** One frame of an event stream. */
export interface SseFrame {
  /** Null when it has no `event:` line. */
  readonly type: string | null;
  readonly id: string | null;
  readonly data: string;
}

/**
 * The frames of an event stream, as they come. Comments and frames without data are left out, and so is a last one
 * that was cut off. Lines end as the standard allows: by LF, CR or both.
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseFrame> {
  let frame = new Collected();
  for await (const line of readLines(chunks, { ends: "any" })) {
    if (line !== "") frame.take(line);
    else {
      const whole = frame.whole();
      frame = new Collected();
      if (whole !== null) yield whole;
    }
  }
}

/** The lines of one frame, as they come. */
class Collected {
  #type: string | null = null;
  #id: string | null = null;
  readonly #data: string[] = [];
  #length = 0;

  take(line: string): void {
    this.#length += line.length;
    if (this.#length > MAX_LINE_LENGTH) throw tooLong();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id") this.#id = value;
  }

  whole(): SseFrame | null {
    return this.#data.length === 0 ? null : { type: this.#type, id: this.#id, data: this.#data.join("\n") };
  }
}
