import { openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import { CliFailure } from "./exit-codes.ts";

/** The content of a file, or with `-` of standard input, to be sent as it is read. */
export async function contentOf(file: string): Promise<Blob | ReadableStream<Uint8Array>> {
  if (file === "-") return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  try {
    return await openAsBlob(file);
  } catch (error) {
    throw new CliFailure("usage", `${file} cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}
