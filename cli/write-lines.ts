import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliFailure } from "./exit-codes.ts";

/**
 * Writes lines of JSON to a file of the owner's. To a temporary name first, so that an incomplete export is not mistaken
 * for a complete one. Returns their number.
 */
export async function writeLines(file: string, lines: AsyncIterable<unknown>): Promise<number> {
  const part = `${file}.part`;
  let count = 0;
  async function* texts() {
    for await (const line of lines) {
      count++;
      yield `${JSON.stringify(line)}\n`;
    }
  }
  try {
    await pipeline(Readable.from(texts()), createWriteStream(part, { mode: 0o600 }));
    await rename(part, file);
    return count;
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof Error && "syscall" in error)
      throw new CliFailure("usage", `${file} cannot be written (${error.message})`);
    throw error;
  }
}
