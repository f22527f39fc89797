import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { MAGIC, decryptWith } from "./encryption.ts";
import { InvalidBackup } from "./invalid-backup.ts";

/** The tar stream within: decrypted and unpacked. */
export function decoded(source: Readable, passphrase: string | null): Readable {
  const unzip = createGunzip();
  const feed = async function* feed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const [start, all] = await firstBytes(chunks, MAGIC.length);
    const isEncrypted = start.equals(MAGIC);
    if (isEncrypted && passphrase === null)
      throw new InvalidBackup("the archive is encrypted; set ORCH_BACKUP_PASSPHRASE to its passphrase");
    yield* isEncrypted && passphrase !== null ? decryptWith(passphrase)(all) : all;
  };
  // Its errors arrive at the reader of `unzip`, which it destroys.
  pipeline(source, feed, unzip).catch(() => undefined);
  return unzip;
}

/** The first bytes of a stream, and the whole stream. */
async function firstBytes(
  source: AsyncIterable<Buffer>,
  count: number,
): Promise<readonly [Buffer, AsyncGenerator<Buffer>]> {
  const chunks = source[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  let length = 0;
  while (length < count) {
    const next = await chunks.next();
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* read;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  return [Buffer.concat(read).subarray(0, count), all()];
}
