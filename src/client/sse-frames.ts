import { createParser } from "eventsource-parser";
import { MAX_LINE_LENGTH, tooLong } from "./read-lines.ts";

/** One frame of an event stream. */
export interface SseFrame {
  /** Null without an `event:` line. */
  readonly type: string | null;
  readonly id: string | null;
  readonly data: string;
}

/** The frames of an event stream. Comments, frames without data and an unterminated last frame are dropped. */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SseFrame> {
  const decoder = new TextDecoder();
  const frames: SseFrame[] = [];
  const parser = createParser({
    maxBufferSize: MAX_LINE_LENGTH,
    onEvent: ({ id = null, event = null, data }) => void frames.push({ type: event, id, data }),
    // Every other error is a line to ignore, as the standard says.
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw tooLong();
    },
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* frames.splice(0);
  }
}
