import { OrchdError } from "./orchd-error.ts";

/** Far above any frame of an event stream and any line of a log or a memory file. */
export const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/**
 * Complete lines as they arrive. Each byte is read once, whatever the chunk size. An unterminated last line is dropped.
 * `any`: lines end with LF, CR or CR LF, as in an event stream.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { ends }: { readonly ends: "lf" | "any" },
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const separator = ends === "any" ? /\r\n|\n|\r/ : "\n";
  let parts: string[] = [];
  let length = 0;
  let afterCr = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // CR LF is one line end, also across two chunks.
    if (afterCr && text.startsWith("\n")) text = text.slice(1);
    afterCr = ends === "any" && text.endsWith("\r");
    const pieces = text.split(separator);
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
