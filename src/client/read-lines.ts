import { OrchdError } from "./orchd-error.ts";

/** No frame of an event stream, no line of a log or a memory file comes near it. */
export const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/**
 * Whole lines as they come, each byte looked at once, however small the chunks. A last line without its end is left
 * out. `any`: lines end by LF, CR or both, as in an event stream.
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
    // CR LF is one end, also when it comes in two chunks.
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
  new OrchdError({ code: "BAD_ANSWER", message: "the stream holds a frame or line of more than 16 MiB characters" });
