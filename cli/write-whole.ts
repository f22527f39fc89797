import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliFailure } from "./exit-codes.ts";

/**
 * Writes a file of the owner's. To a temporary name first, so that an incomplete one is not mistaken for a complete one.
 */
export async function writeWhole(file: string, content: AsyncIterable<string | Uint8Array>): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(content), createWriteStream(part, { mode: 0o600 }));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof Error && "syscall" in error)
      throw new CliFailure("usage", `${file} cannot be written (${error.message})`);
    throw error;
  }
}
