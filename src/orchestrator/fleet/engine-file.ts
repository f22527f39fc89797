import { closeSync, constants, fstatSync, openSync, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { hasCode } from "../../shared/error-code.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/**
 * How files in an engine's folder are opened. A command of its user can put anything in their place: to open a pipe
 * would wait for ever, with one of the daemon's few threads or all of it, and a link leads elsewhere.
 */
const SAFELY = O_NONBLOCK | O_NOFOLLOW;

/** Null where there is no file, but nothing or something else. */
export async function openToRead(path: string): Promise<FileHandle | null> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, O_RDONLY | SAFELY);
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    if (!isNoFile(error)) throw error;
  }
  await handle?.close();
  return null;
}

/** A new file in the place of whatever is there. */
export async function openAnew(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, "wx", 0o600);
}

/** To write behind what is there; something else than a file gives way to a new one. */
export function openToAppendSync(path: string): number {
  const flags = O_WRONLY | O_APPEND | O_CREAT | SAFELY;
  try {
    const descriptor = openSync(path, flags, 0o600);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch (error) {
    if (!isNoFile(error)) throw error;
  }
  rmSync(path, { force: true });
  return openSync(path, flags | O_EXCL, 0o600);
}

/** Nothing, a link, or a pipe that nobody reads. */
const isNoFile = (error: unknown): boolean => hasCode(error, "ENOENT", "ELOOP", "ENXIO");
