import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Readable, Transform, type TransformCallback } from "node:stream";
import { createGunzip } from "node:zlib";
import { ARCHIVE, CATALOG_LIMITS } from "../../contract/orchestrator/catalog-limits.ts";
import type { CatalogFault, CatalogFile } from "../../contract/orchestrator/catalog.ts";
import { readTar } from "../../shared/tar.ts";
import { EntryRules, TooManyEntries, entryPath } from "./entry-rules.ts";

const FREE_BYTES = 1024 * 1024;
const FOLDER_MODE = 0o755;

/** Ends the reading of an archive; its message is the reason. */
class Unreadable extends Error {}

export interface Unpacked {
  readonly files: readonly CatalogFile[];
  readonly faults: readonly CatalogFault[];
}

/** Unpacks a gzipped tar archive into an empty folder. Stops at the first fault of the archive itself. */
export async function unpackArchive(source: Readable, target: string): Promise<Unpacked> {
  const files: CatalogFile[] = [];
  const faults: CatalogFault[] = [];
  const rules = new EntryRules();
  try {
    for await (const { member, body } of readTar(unzipped(source))) {
      const problem = rules.problem(member);
      const path = entryPath(member.path);
      if (problem !== null) faults.push({ path: shown(member.path), message: problem });
      else if (member.type === "file")
        files.push(await writeFile(join(target, path), { path, mode: member.mode, body }));
    }
  } catch (error) {
    faults.push({ path: ARCHIVE, message: reasonOf(error) });
  }
  return { files, faults };
}

const shown = (path: string): string => path.slice(0, 300).toWellFormed();

/** Decompresses the archive up to a maximum size and compression ratio. */
function unzipped(source: Readable): Readable {
  let packed = 0;
  let unpacked = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      packed += chunk.length;
      done(null, chunk);
    },
  });
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      unpacked += chunk.length;
      if (unpacked > MAX_TAR_BYTES) done(new Unreadable(`expected at most ${CATALOG_LIMITS.bytes} bytes unpacked`));
      else if (unpacked > FREE_BYTES + packed * CATALOG_LIMITS.ratio)
        done(new Unreadable(`expected at most ${CATALOG_LIMITS.ratio} unpacked bytes for each compressed one`));
      else done(null, chunk);
    },
  });
  const gunzip = createGunzip();
  source.on("error", (error) => count.destroy(error));
  count.on("error", (error) => gunzip.destroy(error));
  gunzip.on("error", (error) => limit.destroy(error));
  return source.pipe(count).pipe(gunzip).pipe(limit);
}

/** A header for each entry, and the padding. */
const MAX_TAR_BYTES = CATALOG_LIMITS.bytes + CATALOG_LIMITS.entries * 4096;

/** Resolves when the file is synced to the disk. */
async function writeFile(
  place: string,
  { path, mode, body }: { readonly path: string; readonly mode: number; readonly body: AsyncIterable<Uint8Array> },
): Promise<CatalogFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  await mkdir(dirname(place), { recursive: true, mode: FOLDER_MODE });
  const executable = (mode & 0o100) !== 0;
  await using file = await open(place, "wx", executable ? 0o755 : 0o644);
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.length;
    await file.writeFile(chunk);
  }
  await file.sync();
  return { path, bytes, sha256: hash.digest("hex"), executable };
}

function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  if (error instanceof TooManyEntries) return `expected at most ${CATALOG_LIMITS.entries} files and folders`;
  if (!(error instanceof Error)) return String(error);
  if ("syscall" in error) throw error;
  const code = "code" in error ? String(error.code) : "";
  if (code === "Z_BUF_ERROR" || /truncated|unexpected end/i.test(error.message)) return "the archive is incomplete";
  const reason = error.message || code;
  return `expected a gzipped tar archive${reason && ` (${reason})`}`;
}
