import { stat, statfs } from "node:fs/promises";
import { hasCode } from "./error-code.ts";

const MIB = 1_048_576;
const OTHERS = 0o077;

interface FreeSpace {
  readonly freeMb: number;
  readonly freePercent: number;
  /** Free inodes in per cent; 100 if the file system has no limit. */
  readonly freeFilesPercent: number;
}

export async function freeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, bsize, blocks, ffree, files } = await statfs(folder);
  return {
    freeMb: Math.floor((bavail * bsize) / MIB),
    freePercent: blocks === 0 ? 100 : Math.floor((bavail / blocks) * 100),
    freeFilesPercent: files === 0 ? 100 : Math.floor((ffree / files) * 100),
  };
}

/** The files that other users may read or write. Missing files are ignored. */
export async function exposedFiles(paths: readonly string[]): Promise<readonly string[]> {
  const exposed = await Promise.all(
    paths.map(async (path) => {
      try {
        return ((await stat(path)).mode & OTHERS) !== 0;
      } catch (error) {
        if (hasCode(error, "ENOENT", "EACCES", "EPERM")) return false;
        throw error;
      }
    }),
  );
  return paths.filter((_, index) => exposed[index]);
}
