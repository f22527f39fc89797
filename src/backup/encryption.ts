import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { InvalidBackup } from "./invalid-backup.ts";

/** The first bytes of an encrypted archive. */
export const MAGIC = Buffer.from("orchd encrypted backup 1\n");
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const CHUNK_BYTES = 65_536;
/** 128 MiB and about half a second for each try of a passphrase. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

/**
 * Encrypts with AES-256-GCM under a key that scrypt derives from the passphrase:
 *
 *     magic, salt (16 bytes), then per chunk of 64 KiB: ciphertext, tag (16 bytes)
 *
 * The nonce of a chunk is its number and whether it is the last one, so that no chunk can be moved, left out or cut off.
 */
export const encryptWith = (passphrase: string) =>
  async function* encrypt(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const salt = randomBytes(SALT_BYTES);
    const key = await deriveKey(passphrase, salt, 32, COST);
    yield Buffer.concat([MAGIC, salt]);
    for await (const { chunk, number, isLast } of chunks(source, CHUNK_BYTES)) {
      const cipher = createCipheriv("aes-256-gcm", key, nonceOf(number, isLast));
      yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
    }
  };

/** Undoes {@link encryptWith}. Throws {@link InvalidBackup} before it returns a byte that was changed. */
export const decryptWith = (passphrase: string) =>
  async function* decrypt(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let key: Buffer | null = null;
    const start = MAGIC.length + SALT_BYTES;
    for await (const { chunk, number, isLast } of chunks(source, CHUNK_BYTES + TAG_BYTES, start)) {
      if (number === -1 && !isLast) {
        key = await deriveKey(passphrase, chunk.subarray(MAGIC.length), 32, COST);
        continue;
      }
      if (key === null || chunk.length < TAG_BYTES) throw new InvalidBackup("the encrypted archive is incomplete");
      const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number, isLast), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(chunk.subarray(-TAG_BYTES));
      try {
        yield Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch (error) {
        const reason =
          number === 0
            ? "the passphrase is wrong, or the archive was changed"
            : `the archive was changed or cut off at its byte ${start + number * (CHUNK_BYTES + TAG_BYTES)}`;
        throw new InvalidBackup(reason, { cause: error });
      }
    }
  };

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = Number(isLast);
  return nonce;
}

interface Chunk {
  readonly chunk: Buffer;
  /** -1 for the start. */
  readonly number: number;
  readonly isLast: boolean;
}

/** Cuts a stream into pieces of `size` bytes after an optional start. The last one may be shorter, and even empty. */
async function* chunks(source: AsyncIterable<Buffer>, size: number, start = 0): AsyncGenerator<Chunk> {
  let pending: Buffer[] = [];
  let length = 0;
  let number = start > 0 ? -1 : 0;
  for await (const piece of source) {
    pending.push(piece);
    length += piece.length;
    // The last piece is held back, since only the end of the source tells that it is the last.
    while (length > (number === -1 ? start : size)) {
      const wanted = number === -1 ? start : size;
      const all = Buffer.concat(pending);
      yield { chunk: all.subarray(0, wanted), number, isLast: false };
      number++;
      pending = [all.subarray(wanted)];
      length -= wanted;
    }
  }
  yield { chunk: Buffer.concat(pending), number, isLast: true };
}
