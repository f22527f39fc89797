import type { Stats } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { hasCode } from "../system/error-code.ts";
import { entriesOf, entryPath, folderPath, openFolder, openFolderAsOwner } from "./open-folder.ts";

/** Open folders of a walk. With those that are read or opened meanwhile it has at most 64 descriptors. */
const MAX_OPEN = 32;
/** Files that are looked at at the same time. */
const AT_ONCE = 64;
const CHANGED = ["ENOENT", "ENOTDIR", "ELOOP"];

/** A file or folder that {@link walkFolder} found. */
export interface WalkEntry {
  readonly folder: FileHandle;
  readonly name: Buffer;
  /** Through the folder's descriptor. */
  readonly path: Buffer;
  /** Of the entry itself, not of what a link leads to. */
  readonly stats: Stats;
  /** 0 in the top folder. */
  readonly depth: number;
}

/** What {@link walkFolder} does. */
export interface Walk {
  /** For each entry, of a folder before its content; those of a folder in any order. False leaves out a folder. */
  entry(entry: WalkEntry): void | boolean | Promise<void | boolean>;
  /** After the content of each folder but the top one. */
  leave?(folder: FileHandle): Promise<void>;
  /** Programs may change the folder meanwhile: entries that are gone are left out. Otherwise they are errors. */
  readonly isLive?: boolean;
}

/** A folder of the walk, closed while the walk is far below it. */
interface Level {
  readonly device: number;
  readonly inode: number;
  readonly folders: Buffer[];
  handle: FileHandle | null;
}

/** A folder was moved to another place while the walk was below it, so that the way back is lost. */
class FolderMoved extends Error {
  override readonly name = "FolderMoved";
  readonly code = "ESTALE";
}

/**
 * Visits everything in an open folder, however deep, with at most 64 descriptors, and never through a link. Folders whose
 * modes forbid to read them are made readable where this process may. Throws `ESTALE` when a folder was moved meanwhile.
 */
export async function walkFolder(top: FileHandle, walk: Walk): Promise<void> {
  const levels: Level[] = [];
  try {
    levels.push(await enter(top, 0, walk));
    for (let level = levels[0]; level !== undefined; level = levels.at(-1)) {
      const name = level.folders.pop();
      if (name === undefined) await leave(levels, walk);
      else await descend(levels, name, walk);
    }
  } finally {
    for (const { handle } of levels) if (handle !== top) await handle?.close();
  }
}

async function enter(handle: FileHandle, depth: number, walk: Walk): Promise<Level> {
  const { dev: device, ino: inode } = await handle.stat();
  const folders: Buffer[] = [];
  for await (const some of entriesOf(handle, AT_ONCE)) {
    const visit = async (name: Buffer): Promise<void> => {
      const path = entryPath(handle, name);
      const stats = await unlessChanged(lstat(path), walk);
      if (stats === null) return;
      const isEntered = await walk.entry({ folder: handle, name, path, stats, depth });
      if (stats.isDirectory() && isEntered !== false) folders.push(name);
    };
    await Promise.all(some.map(({ name }) => visit(name)));
  }
  return { device, inode, folders, handle };
}

async function descend(levels: Level[], name: Buffer, walk: Walk): Promise<void> {
  const parent = levels.at(-1)?.handle;
  if (parent === null || parent === undefined) throw new Error("the folder of a walk is closed");
  const handle = await unlessChanged(openFolderAsOwner(entryPath(parent, name)), walk);
  if (handle === null) return;
  try {
    levels.push(await enter(handle, levels.length, walk));
  } catch (error) {
    await handle.close();
    throw error;
  }
  // The top folder is the caller's.
  const far = levels.at(-MAX_OPEN);
  if (far === undefined || far === levels[0]) return;
  await far.handle?.close();
  far.handle = null;
}

async function leave(levels: Level[], walk: Walk): Promise<void> {
  const level = levels.at(-1);
  const parent = levels.at(-2);
  if (level !== undefined && level.handle !== null && parent !== undefined) {
    parent.handle ??= await reopen(level.handle, parent);
    await walk.leave?.(level.handle);
    await level.handle.close();
  }
  levels.pop();
}

/** The way back to a folder that was closed. */
async function reopen(below: FileHandle, { device, inode }: Level): Promise<FileHandle> {
  const handle = await openFolder(`${folderPath(below)}/..`);
  const { dev, ino } = await handle.stat();
  if (dev === device && ino === inode) return handle;
  await handle.close();
  throw new FolderMoved("a folder was moved while its content was read");
}

async function unlessChanged<T>(work: Promise<T>, { isLive = false }: Walk): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isLive && hasCode(error, ...CHANGED)) return null;
    throw error;
  }
}
