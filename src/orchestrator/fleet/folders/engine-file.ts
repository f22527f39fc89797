import { type Stats, closeSync, constants, fstatSync, openSync, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { hasCode } from "../../../shared/error-code.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/**
 * How files in an engine's folder are opened. A tool can replace them: opening a pipe would block a thread of the daemon,
 * and a symbolic link may point elsewhere.
 */
const SAFE_FLAGS = O_NONBLOCK | O_NOFOLLOW;

/** A regular file without hard links, which could name a file outside of the folder. */
const isPlain = (file: Stats): boolean => file.isFile() && file.nlink <= 1;

/** Null when there is no regular file. */
export const openToRead = (path: string): Promise<FileHandle | null> => openPlain(path, O_RDONLY);

/** Like {@link openToRead}, for reading and writing. */
export const openToRewrite = (path: string): Promise<FileHandle | null> => openPlain(path, O_RDWR);

async function openPlain(path: string, access: number): Promise<FileHandle | null> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, access | SAFE_FLAGS);
    if (isPlain(await handle.stat())) return handle;
  } catch (error) {
    if (!isNoFile(error)) throw error;
  }
  await handle?.close();
  return null;
}

/** Creates a file, and replaces what has its name. */
export async function createFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, "wx", 0o600);
}

/** Opens a file for appending. Replaces anything that is not a regular file. */
export function openToAppendSync(path: string): number {
  const flags = O_WRONLY | O_APPEND | O_CREAT | SAFE_FLAGS;
  try {
    const descriptor = openSync(path, flags, 0o600);
    if (isPlain(fstatSync(descriptor))) return descriptor;
    closeSync(descriptor);
  } catch (error) {
    if (!isNoFile(error)) throw error;
  }
  rmSync(path, { force: true });
  return openSync(path, flags | O_EXCL, 0o600);
}

/** No file, a symbolic link, or a pipe without a reader. */
const isNoFile = (error: unknown): boolean => hasCode(error, "ENOENT", "ELOOP", "ENXIO");
