import { OrchdError } from "./orchd-error.ts";

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

export const tooLong = (): OrchdError =>
  new OrchdError({ code: "BAD_ANSWER", message: "the stream has a frame or line of more than 16 MiB" });
