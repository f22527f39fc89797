import type { Dirent } from "node:fs";
import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../../shared/error-code.ts";

const STAT_BLOCK_BYTES = 512;
/** Minimum of an entry, so that empty files cannot use up the inodes of the file system. */
const ENTRY_BYTES = 1024;
const OWNER_ONLY = 0o700;
/** Parallel calls of `lstat`. */
const BATCH = 64;

export interface FolderUsage {
  readonly bytes: number;
  /** The size of the largest file, with holes. */
  readonly largest: number;
}

/**
 * Disk usage of a folder and what is in it. Follows no symbolic links. Entries that are removed during the walk do not count.
 * Throws `ENAMETOOLONG` for folders nested deeper than a path can be long.
 */
export async function folderUsage(
  root: string,
  isCounted: (path: string) => boolean = () => true,
): Promise<FolderUsage> {
  let bytes = 0;
  let largest = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await entriesOf(folder);
    for (let from = 0; from < entries.length; from += BATCH) {
      const batch = entries
        .slice(from, from + BATCH)
        .map((entry) => ({ entry, path: join(folder ?? root, entry.name) }));
      const counted = batch.filter(({ path }) => isCounted(path));
      for (const { entry, path } of counted) if (entry.isDirectory()) folders.push(path);
      for (const stats of await Promise.all(counted.map(({ path }) => lstat(path).catch(nullIfGone)))) {
        if (stats === null) continue;
        bytes += Math.max(ENTRY_BYTES, stats.blocks * STAT_BLOCK_BYTES);
        if (stats.isFile()) largest = Math.max(largest, stats.size);
      }
    }
  }
  return { bytes, largest };
}

/** Empty for a removed folder. A folder that a tool made unreadable is made readable, so that it cannot hide files. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await list(folder).catch(async (error: unknown) => {
      if (!hasCode(error, "EACCES")) throw error;
      await chmod(folder, OWNER_ONLY);
      return list(folder);
    });
  } catch (error) {
    return nullIfGone(error) ?? [];
  }
}

const list = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true });

function nullIfGone(error: unknown): null {
  if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM")) return null;
  throw error;
}
