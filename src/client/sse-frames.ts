import { createParser } from "eventsource-parser";
import { OrchdError } from "./orchd-error.ts";

/** One frame of an event stream. */
export interface SseFrame {
  /** Null without an `event:` line. */
  readonly type: string | null;
  readonly id: string | null;
  readonly data: string;
}

/**
 * The frames of an event stream. Frames without data and an unterminated last frame are dropped. `onComment` is called
 * with comments, after the frames before them were read.
 */
export async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
  onComment: (comment: string) => void = () => undefined,
): AsyncGenerator<SseFrame> {
  const decoder = new TextDecoder();
  const frames: (SseFrame | { readonly comment: string })[] = [];
  const parser = createParser({
    maxBufferSize: MAX_LINE_LENGTH,
    onEvent: ({ id = null, event = null, data }) => frames.push({ type: event, id, data }),
    onComment: (comment) => frames.push({ comment }),
    // The SSE standard ignores every other invalid line.
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw tooLong();
    },
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const frame of frames.splice(0))
      if ("comment" in frame) onComment(frame.comment);
      else yield frame;
  }
}

/** Far above any frame of an event stream and any line of a log or a memory file. */
export const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/** The lines of a log or a memory file as they arrive. An unterminated last line is dropped. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const pieces = decoder.decode(chunk, { stream: true }).split("\n");
    for (const [index, piece] of pieces.entries()) {
      parts.push(piece);
      length += piece.length;
      if (length > MAX_LINE_LENGTH) throw tooLong();
      if (index === pieces.length - 1) break;
      yield parts.join("");
      parts = [];
      length = 0;
    }
  }
}

const tooLong = (): OrchdError =>
  new OrchdError({ code: "BAD_ANSWER", message: "the stream has a frame or line of more than 16 MiB" });
