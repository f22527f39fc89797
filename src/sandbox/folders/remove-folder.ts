import { type FileHandle, lstat, mkdir, mkdtemp, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, unlessMissing } from "../system/error-code.ts";
import { type FilePath, type FolderEntry, entriesOf, entryPath, openFolderAsOwner } from "./open-folder.ts";

/** Open folders of a removal. With those that are read or opened meanwhile it has at most 64 descriptors. */
const MAX_OPEN = 48;
/** Files that are removed at the same time. */
const AT_ONCE = 64;
const TIMEOUT_MS = 600_000;
const PREFIX = "removed-";
/** Landlock before ABI 2 and mounts refuse to move; a folder that its owner may not write cannot move either. */
const IMMOVABLE = ["EXDEV", "EBUSY", "EACCES", "EPERM"];
/** A removal must not need the space that it is to free. */
const FULL = ["ENOSPC", "EDQUOT"];
const GONE = "ENOENT";
/** Of `open` for a link and for a file. */
const NOT_A_FOLDER = ["ENOTDIR", "ELOOP"];

/** Where a removal goes on after an interruption, and how long it may take. */
export interface RemovalPlace {
  /**
   * A folder on the same file system in which programs cannot write. What is removed is first moved there, into a folder with
   * mode 0700. An interrupted removal leaves it there for {@link removeLeftovers}. Created when it is missing.
   */
  readonly aside: string;
  /** How names in `aside` start. Default: `removed-`. */
  readonly prefix?: string;
  /** A program that is still running may add files as fast as they are removed. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/**
 * Removes a file or a folder, whatever programs left in it and do to it meanwhile: every step goes through the descriptor of
 * an open folder and follows no link, so that a folder which is exchanged for a link leads nowhere. Subtrees that are too
 * deep are moved up. Something missing is no error. What cannot be removed is moved back. Throws `ETIMEDOUT`.
 */
export async function removeFolder(
  path: FilePath,
  { aside, prefix = PREFIX, timeoutMs = TIMEOUT_MS }: RemovalPlace,
): Promise<void> {
  if ((await unlessMissing(lstat(path))) === null) return;
  const own = await folderIn(aside, prefix);
  if (own === null) return removeInPlace(path, timeoutMs);
  const place = join(own, "0");
  try {
    await rename(path, place);
  } catch (error) {
    await rmdir(own);
    if (hasCode(error, GONE)) return;
    if (!hasCode(error, ...IMMOVABLE, ...FULL)) throw error;
    return removeInPlace(path, timeoutMs);
  }
  try {
    await removeInPlace(own, timeoutMs);
  } catch (error) {
    // Best effort: otherwise the next call finds nothing to remove.
    await rename(place, path).catch(() => undefined);
    await rmdir(own).catch(() => undefined);
    throw error;
  }
}

/** Null on a full file system. */
async function folderIn(aside: string, prefix: string): Promise<string | null> {
  try {
    await mkdir(aside, { recursive: true, mode: 0o700 });
    return await mkdtemp(join(aside, prefix));
  } catch (error) {
    if (hasCode(error, ...FULL)) return null;
    throw error;
  }
}

/** Removes what interrupted calls of {@link removeFolder} left. */
export async function removeLeftovers({ aside, prefix = PREFIX, timeoutMs = TIMEOUT_MS }: RemovalPlace): Promise<void> {
  for (const name of (await unlessMissing(readdir(aside))) ?? [])
    if (name.startsWith(prefix)) await removeInPlace(join(aside, name), timeoutMs);
}

/** `path` leads through no folder in which programs can write, or through an open one. */
async function removeInPlace(path: FilePath, timeoutMs: number): Promise<void> {
  const top = await openUnlessNone(path);
  if (top === null) return unlessGone(unlink(path));
  await using open = top;
  await new Removal(open, timeoutMs).remove(path, 0);
}

class Removal {
  /** Gets the subtrees that are too deep, and is emptied again. */
  readonly #top: FileHandle;
  readonly #name = crypto.randomUUID();
  readonly #end: number;
  readonly #timeoutMs: number;
  #moved = 0;

  constructor(top: FileHandle, timeoutMs: number) {
    this.#top = top;
    this.#timeoutMs = timeoutMs;
    this.#end = performance.now() + timeoutMs;
  }

  /** In several rounds, while subtrees are moved up and programs add files. */
  async remove(path: FilePath, depth: number): Promise<void> {
    for (let isRemoved = false; !isRemoved;) {
      this.#assertTime();
      const folder = await openUnlessNone(path);
      if (folder === null) {
        isRemoved = await unlinkUnlessFolder(path);
      } else {
        await using open = folder;
        await this.#empty(open, depth);
        isRemoved = await removeEmpty(path);
      }
    }
  }

  async #empty(folder: FileHandle, depth: number): Promise<void> {
    const folders: Buffer[] = [];
    for await (const some of entriesOf(folder, AT_ONCE)) {
      this.#assertTime();
      const left = await Promise.all(some.map((entry) => unlinkEntry(folder, entry)));
      folders.push(...left.filter((name) => name !== null));
    }
    for (const name of folders) {
      const path = entryPath(folder, name);
      if (depth + 1 < MAX_OPEN) await this.remove(path, depth + 1);
      else await this.#moveUp(path);
    }
  }

  #assertTime(): void {
    if (performance.now() < this.#end) return;
    const message = `failed to remove a folder within ${this.#timeoutMs / 1000} s; perhaps a program keeps adding files`;
    throw Object.assign(new Error(message), { code: "ETIMEDOUT" });
  }

  async #moveUp(path: Buffer): Promise<void> {
    const place = entryPath(this.#top, `${this.#name}-${++this.#moved}`);
    try {
      await unlessGone(rename(path, place));
    } catch (error) {
      if (!hasCode(error, "EACCES")) throw error;
      // Adds the permission to write, without which a folder cannot move.
      await (await openUnlessNone(path))?.close();
      await unlessGone(rename(path, place));
    }
  }
}

/** The name of a folder; null for a file, which is removed. */
const unlinkEntry = async (parent: FileHandle, { name, isFolder }: FolderEntry): Promise<Buffer | null> =>
  isFolder || !(await unlinkUnlessFolder(entryPath(parent, name))) ? name : null;

async function unlinkUnlessFolder(path: FilePath): Promise<boolean> {
  try {
    await unlessGone(unlink(path));
    return true;
  } catch (error) {
    if (hasCode(error, "EISDIR")) return false;
    throw error;
  }
}

/** False when the folder is not empty, or was exchanged for something else. */
async function removeEmpty(path: FilePath): Promise<boolean> {
  try {
    await unlessGone(rmdir(path));
    return true;
  } catch (error) {
    if (hasCode(error, "ENOTEMPTY", "EEXIST", ...NOT_A_FOLDER)) return false;
    throw error;
  }
}

/** Null when nothing is there, or no folder. */
async function openUnlessNone(path: FilePath): Promise<FileHandle | null> {
  try {
    return await openFolderAsOwner(path);
  } catch (error) {
    if (hasCode(error, GONE, ...NOT_A_FOLDER)) return null;
    throw error;
  }
}

async function unlessGone(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!hasCode(error, GONE)) throw error;
  });
}
