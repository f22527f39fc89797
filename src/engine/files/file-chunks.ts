import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { ByteRange } from "./byte-range.ts";

const CHUNK_BYTES = 64 * 1024;

/** The file was changed while it was sent, so that what was sent is no content that it had. */
export class ChangedWhileRead extends Error {
  override readonly name = "ChangedWhileRead";
}

/**
 * The bytes of a range. `stats`: as the file was when its digest was made. The last chunk comes only when the file is still
 * the same: a reader of a torn content must see that it is incomplete. Null: the file has no stable content.
 */
export async function* chunksOfFile(
  file: FileHandle,
  { start, end }: ByteRange,
  stats: Stats | null,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new ChangedWhileRead("the file became shorter while it was read");
    at += bytesRead;
    if (at === end && stats !== null) assertSame(stats, await file.stat());
    yield buffer.subarray(0, bytesRead);
  }
}

/** Not by the time of the last status change: that a name of it was replaced is no change of its content. */
function assertSame(before: Stats, now: Stats): void {
  if (now.size !== before.size || now.mtimeMs !== before.mtimeMs)
    throw new ChangedWhileRead("the file changed while it was read");
}
