import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 1024 ** 2;
const MAX_KNOWN = 1000;
/** A file that changes again within a tick of the clock keeps its times. */
const SETTLED_MS = 100;
const MAX_READS = 3;

/** What changes with each change of a file's content. The time of the last change cannot be set by a program. */
const stampOf = ({ size, mtimeMs, ctimeMs }: Stats): string => `${size} ${mtimeMs} ${ctimeMs}`;
const idOf = ({ dev, ino }: Stats): string => `${dev} ${ino}`;

/** The SHA-256 of files. Those of the last ones are kept until the file changes, because ranges of one are read one by one. */
export class ContentDigests {
  readonly #known = new Map<string, { readonly stamp: string; readonly digest: string }>();

  /** Null for a file that changes while it is read. `stats`: as the digest is of. */
  async of(file: FileHandle): Promise<{ readonly digest: string | null; readonly stats: Stats }> {
    let stats = await file.stat();
    for (let reads = 0; reads < MAX_READS; reads++) {
      const known = this.#known.get(idOf(stats));
      if (known?.stamp === stampOf(stats)) return { digest: known.digest, stats };
      const digest = await hashOfFile(file);
      const now = await file.stat();
      const isSame = stampOf(now) === stampOf(stats);
      stats = now;
      if (!isSame) continue;
      if (Date.now() - stats.ctimeMs > SETTLED_MS) this.#note(stats, digest);
      return { digest, stats };
    }
    return { digest: null, stats };
  }

  #note(stats: Stats, digest: string): void {
    this.#known.delete(idOf(stats));
    this.#known.set(idOf(stats), { stamp: stampOf(stats), digest });
    const oldest = this.#known.keys().next();
    if (this.#known.size > MAX_KNOWN && !oldest.done) this.#known.delete(oldest.value);
  }
}

async function hashOfFile(file: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}
