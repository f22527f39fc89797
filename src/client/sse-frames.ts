import { OrchdError } from "./orchd-error.ts";

/** One frame of an event stream. */
export interface SseFrame {
  /** Null when it has no `event:` line. */
  readonly type: string | null;
  readonly id: string | null;
  readonly data: string;
}

/** No frame of the interface comes near it; what does is no event stream. */
export const MAX_FRAME_LENGTH = 16 * 1024 * 1024;

/**
 * The frames of an event stream, as they come. Comments and frames without data are left out, and so is a last one
 * that was cut off. Lines end as the standard allows: by LF, CR or both.
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseFrame> {
  let frame = new Collected();
  for await (const line of readLines(chunks)) {
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
    if (this.#length > MAX_FRAME_LENGTH) throw tooLong();
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

/** Whole lines; each byte is looked at once, however small the chunks and however long the line. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  let afterCr = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // CR LF is one end, also when it comes in two chunks.
    if (afterCr && text.startsWith("\n")) text = text.slice(1);
    afterCr = text.endsWith("\r");
    const pieces = text.split(/\r\n|\n|\r/);
    for (const [index, piece] of pieces.entries()) {
      parts.push(piece);
      length += piece.length;
      if (length > MAX_FRAME_LENGTH) throw tooLong();
      if (index === pieces.length - 1) break;
      yield parts.join("");
      parts = [];
      length = 0;
    }
  }
}

const tooLong = () =>
  new OrchdError({ code: "BAD_ANSWER", message: "the stream holds a frame of more than 16 MiB characters" });
