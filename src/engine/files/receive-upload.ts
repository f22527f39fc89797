import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { TEMPORARY_PREFIX } from "../../contract/engine/folders.ts";
import { MAX_FILE_BYTES, UPLOAD_SILENCE_MS } from "../../contract/engine/file-limits.ts";
import { hasCode } from "../../shared/error-code.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";

/** What is asked of the disk quota at a time, for a body whose length is not known before. */
const ADMITTED_AT_ONCE = 8 * 1024 ** 2;

/** A body as it arrives. */
export interface UploadSource {
  readonly chunks: AsyncIterator<Uint8Array>;
  /** Null for a body of unknown length. */
  readonly length: number | null;
}

/** A file beside the workspace, complete and on the disk. The next start of the engine removes one that was left. */
export interface Upload {
  readonly path: string;
  readonly bytes: number;
  readonly digest: string;
}

export interface UploadPlace {
  readonly dataDir: string;
  /** Why so many bytes may not be written, or null. Counts them as written. */
  readonly admit: (bytes: number) => Promise<string | null>;
  readonly silenceMs?: number;
}

/** Stores a body in a temporary file, which the caller renames or removes. */
export async function receiveUpload(source: UploadSource, place: UploadPlace): Promise<Upload> {
  assertFits(source.length ?? 0);
  await admit(place, source.length ?? 0);
  const path = join(place.dataDir, `${TEMPORARY_PREFIX}upload-${randomBytes(8).toString("hex")}`);
  try {
    await using file = await open(path, "wx", 0o600);
    const written = await write(source, file, place);
    await file.sync();
    return { path, ...written };
  } catch (error) {
    await rm(path, { force: true });
    if (hasCode(error, "ENOSPC", "EDQUOT", "EFBIG"))
      throw new EngineError("PAYLOAD_TOO_LARGE", "the disk has no room for the file");
    throw error;
  }
}

async function write(
  { chunks, length }: UploadSource,
  file: FileHandle,
  place: UploadPlace,
): Promise<Pick<Upload, "bytes" | "digest">> {
  const hash = createHash("sha256");
  let bytes = 0;
  let admitted = length ?? 0;
  for (;;) {
    const { done = false, value } = await nextOf(chunks, place.silenceMs ?? UPLOAD_SILENCE_MS);
    if (done) return { bytes, digest: hash.digest("hex") };
    bytes += value.length;
    assertFits(bytes);
    if (bytes > admitted) {
      await admit(place, bytes - admitted + ADMITTED_AT_ONCE);
      admitted = bytes + ADMITTED_AT_ONCE;
    }
    hash.update(value);
    await file.writeFile(value);
  }
}

/** A sender that is silent for too long has failed. */
async function nextOf(chunks: AsyncIterator<Uint8Array>, silenceMs: number): Promise<IteratorResult<Uint8Array>> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(
    () => reject(new InvalidInput("body", `expected its next bytes within ${silenceMs / 1000} s`)),
    silenceMs,
  );
  try {
    return await Promise.race([chunks.next(), promise]);
  } finally {
    clearTimeout(late);
  }
}

function assertFits(bytes: number): void {
  if (bytes > MAX_FILE_BYTES)
    throw new EngineError("PAYLOAD_TOO_LARGE", `body: expected at most ${MAX_FILE_BYTES / 1024 ** 3} GiB`);
}

async function admit(place: UploadPlace, bytes: number): Promise<void> {
  const refusal = bytes === 0 ? null : await place.admit(bytes);
  if (refusal !== null) throw new EngineError("PAYLOAD_TOO_LARGE", refusal);
}
