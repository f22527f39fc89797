import { createHash, randomBytes } from "node:crypto";
import { constants, lstatSync, rmSync } from "node:fs";
import { type FileHandle, copyFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { CHECKPOINTS_FOLDER } from "../../contract/engine/folders.ts";
import type { NotCaptured } from "../../contract/engine/restore-outcomes.ts";
import { hasCode } from "../../shared/error-code.ts";
import { unlessMissing } from "../../shared/files.ts";
import type { CheckpointContentTable, StoredContent } from "../store/checkpoint-contents.ts";

const MIB = 1_048_576;
/** Of one file. */
const MAX_BYTES = 64 * MIB;
const CHUNK_BYTES = 1 * MIB;
const DRAFT_PREFIX = "draft-";
/** Longer than a content takes from its file to its row. */
const ORPHAN_AGE_MS = 3_600_000;
const PRUNED_AT_ONCE = 100;

export type Captured =
  | ({ readonly kind: "stored" } & StoredContent)
  | { readonly kind: "refused"; readonly reason: NotCaptured };

export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export interface ContentStoreParts {
  readonly dataDir: string;
  readonly table: CheckpointContentTable;
  /** Of all contents; 0 keeps none. */
  readonly maxBytes: number;
  /** Whether so many bytes may be written. Counts them as written. */
  readonly admit: (bytes: number) => Promise<boolean>;
}

/**
 * Contents of files, each in a file named by its SHA-256. A file is complete and on the disk before its row is stored, so
 * that what a row names is there. Above its limit the contents that were used longest ago are removed.
 */
export class ContentStore {
  readonly #parts: ContentStoreParts;
  readonly #folder: string;
  readonly #pinned = new Map<string, number>();
  #total: number;

  constructor(parts: ContentStoreParts) {
    this.#parts = parts;
    this.#folder = join(parts.dataDir, CHECKPOINTS_FOLDER);
    this.#total = parts.table.totalBytes();
  }

  /** Copies an open file, or shares its blocks where the file system can. */
  async captureFile(file: FileHandle): Promise<Captured> {
    const { size } = await file.stat();
    const refusal = await this.#refusal(size);
    if (refusal !== null) return refused(refusal);
    return this.#store(async (draft) => {
      const isShared = await sharesBlocks(file, draft);
      await using to = await open(draft, isShared ? "r" : "wx", 0o600);
      const copied = isShared ? await hashOf(to) : await copyInto(file, to);
      if (copied === null) return null;
      await to.sync();
      return copied;
    });
  }

  async captureBytes(bytes: Uint8Array): Promise<Captured> {
    const digest = digestOf(bytes);
    if (this.#isThere(digest, bytes.length)) {
      this.pin([digest]);
      return { kind: "stored", digest, bytes: bytes.length };
    }
    const refusal = await this.#refusal(bytes.length);
    if (refusal !== null) return refused(refusal);
    return this.#store(async (draft) => {
      await using to = await open(draft, "wx", 0o600);
      await to.writeFile(bytes);
      await to.sync();
      return { digest, bytes: bytes.length };
    });
  }

  /** After a capture, which pinned it. Runs in the transaction that stores the change. */
  use({ digest, bytes }: StoredContent, changeId: number): void {
    const isNew = this.#parts.table.bytesOf(digest) === null;
    this.#parts.table.use(digest, bytes, changeId);
    if (isNew) this.#total += bytes;
    this.#unpin([digest]);
  }

  has(digest: string): boolean {
    return this.#parts.table.bytesOf(digest) !== null;
  }

  /** Null when it is not stored. The caller closes it. */
  open(digest: string): Promise<FileHandle | null> {
    return unlessMissing(open(this.#pathOf(digest), constants.O_RDONLY | constants.O_NOFOLLOW));
  }

  /**
   * Writes a content into a new file, and checks it meanwhile. False when it is not stored, or not as it was.
   */
  async copyTo(digest: string, file: FileHandle): Promise<boolean> {
    const from = await this.open(digest);
    if (from === null) return false;
    await using content = from;
    return (await copyInto(content, file))?.digest === digest;
  }

  /** Keeps these contents from being removed until the returned function is called. */
  pin(digests: readonly string[]): () => void {
    for (const digest of digests) this.#pinned.set(digest, (this.#pinned.get(digest) ?? 0) + 1);
    return () => this.#unpin(digests);
  }

  /** Removes what was used longest ago, until the contents are within the limit. */
  prune(): void {
    if (this.#total > this.#parts.maxBytes) this.#removeUntil(this.#parts.maxBytes);
  }

  /** Removes contents of so many bytes: a tool needs their room. Returns whether any was removed. */
  makeRoom(bytes: number): boolean {
    const before = this.#total;
    if (before > 0) this.#removeUntil(Math.max(0, before - bytes));
    return this.#total < before;
  }

  /**
   * Forgets contents that nothing refers to. Runs in a transaction of the caller, who removes the files of those that it
   * returns after it, before anything else happens. A killed engine has files without a row then.
   */
  forget(digests: readonly string[]): readonly StoredContent[] {
    return this.#parts.table.forget(digests.filter((digest) => !this.#pinned.has(digest)));
  }

  removeFiles(contents: readonly StoredContent[]): void {
    for (const { digest, bytes } of contents) {
      this.#total -= bytes;
      rmSync(this.#pathOf(digest), { force: true });
    }
  }

  /** Removes files without a row, which a killed engine left. */
  async removeOrphans(now: number): Promise<void> {
    for (const name of (await unlessMissing(readdir(this.#folder))) ?? []) {
      if (this.#isKept(name)) continue;
      // In one step, because the same content may be captured meanwhile.
      const found = lstatSync(join(this.#folder, name), { throwIfNoEntry: false });
      if (found !== undefined && found.mtimeMs < now - ORPHAN_AGE_MS) rmSync(join(this.#folder, name), { force: true });
    }
  }

  async #refusal(bytes: number): Promise<NotCaptured | null> {
    const { maxBytes, admit } = this.#parts;
    if (maxBytes === 0) return "switched_off";
    if (bytes > Math.min(MAX_BYTES, maxBytes)) return "too_large";
    return (await admit(bytes)) ? null : "disk_full";
  }

  /** `write` returns null for a file that became too large meanwhile. */
  async #store(write: (draft: string) => Promise<StoredContent | null>): Promise<Captured> {
    const draft = join(this.#folder, `${DRAFT_PREFIX}${randomBytes(8).toString("hex")}`);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const content = await write(draft);
      if (content === null) {
        await rm(draft, { force: true });
        return refused("too_large");
      }
      this.pin([content.digest]);
      await rename(draft, this.#pathOf(content.digest));
      await using folder = await open(this.#folder);
      await folder.sync();
      return { kind: "stored", ...content };
    } catch (error) {
      await rm(draft, { force: true });
      if (hasCode(error, "ENOSPC", "EDQUOT", "EFBIG")) return refused("disk_full");
      throw error;
    }
  }

  #isThere(digest: string, bytes: number): boolean {
    if (this.#parts.table.bytesOf(digest) !== bytes) return false;
    return lstatSync(this.#pathOf(digest), { throwIfNoEntry: false })?.size === bytes;
  }

  #isKept(digest: string): boolean {
    return this.has(digest) || this.#pinned.has(digest);
  }

  #unpin(digests: readonly string[]): void {
    for (const digest of digests) {
      const pins = (this.#pinned.get(digest) ?? 0) - 1;
      if (pins > 0) this.#pinned.set(digest, pins);
      else this.#pinned.delete(digest);
    }
  }

  /** Rows first: a file without a row is removed later, a row without a file would be a promise. */
  #removeUntil(bytes: number): void {
    const { table } = this.#parts;
    this.#total = table.totalBytes();
    while (this.#total > bytes) {
      const removed: string[] = [];
      for (const one of table.oldest(PRUNED_AT_ONCE + this.#pinned.size)) {
        if (this.#total <= bytes) break;
        if (this.#pinned.has(one.digest)) continue;
        removed.push(one.digest);
        this.#total -= one.bytes;
      }
      if (removed.length === 0) return;
      table.remove(removed);
      for (const digest of removed) rmSync(this.#pathOf(digest), { force: true });
    }
  }

  #pathOf(digest: string): string {
    return join(this.#folder, digest);
  }
}

const refused = (reason: NotCaptured): Captured => ({ kind: "refused", reason });

/** Whether the file system made a copy that shares its blocks. */
async function sharesBlocks(file: FileHandle, draft: string): Promise<boolean> {
  try {
    await copyFile(`/proc/self/fd/${file.fd}`, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    await rm(draft, { force: true });
    return false;
  }
}

/** Null when the file has more bytes than a content may have: a program can make it larger meanwhile. */
async function copyInto(from: FileHandle, to: FileHandle): Promise<StoredContent | null> {
  return readAll(from, (chunk) => to.writeFile(chunk));
}

export const hashOf = (from: FileHandle): Promise<StoredContent | null> => readAll(from, () => Promise.resolve());

async function readAll(from: FileHandle, each: (chunk: Buffer) => Promise<void>): Promise<StoredContent | null> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, bytes);
    if (bytesRead === 0) return { digest: hash.digest("hex"), bytes };
    bytes += bytesRead;
    if (bytes > MAX_BYTES) return null;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await each(chunk);
  }
}
