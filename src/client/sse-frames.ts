import { MAX_LINE_LENGTH, readLines, tooLong } from "./read-lines.ts";

/** One frame of an event stream. */
export interface SseFrame {
  /** Null without an `event:` line. */
  readonly type: string | null;
  readonly id: string | null;
  readonly data: string;
}

/** The frames of an event stream. Comments, frames without data and an unterminated last frame are dropped. */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseFrame> {
  let frame = new FrameBuilder();
  for await (const line of readLines(chunks, { ends: "any" })) {
    if (line !== "") frame.add(line);
    else {
      const complete = frame.build();
      frame = new FrameBuilder();
      if (complete !== null) yield complete;
    }
  }
}

class FrameBuilder {
  #type: string | null = null;
  #id: string | null = null;
  readonly #data: string[] = [];
  #length = 0;

  add(line: string): void {
    this.#length += line.length;
    if (this.#length > MAX_LINE_LENGTH) throw tooLong();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id") this.#id = value;
  }

  build(): SseFrame | null {
    return this.#data.length === 0 ? null : { type: this.#type, id: this.#id, data: this.#data.join("\n") };
  }
}
