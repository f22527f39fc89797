import type { IncomingMessage } from "node:http";
import { CliFailure } from "./exit-codes.ts";

const MAX_PIECE = 16 * 1024 * 1024;

/** The pieces of an answer between separators, as they come; what follows the last one is left out. */
export async function* splitStream(response: IncomingMessage, separator: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const pieces = (rest + String(chunk)).split(separator);
    rest = pieces.pop() ?? "";
    if (rest.length > MAX_PIECE) throw new CliFailure("unexpected", "the answer holds a piece of more than 16 MiB");
    yield* pieces;
  }
}
