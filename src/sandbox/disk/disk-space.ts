import { statfsSync } from "node:fs";
import { ENTRY_BYTES } from "./folder-usage.ts";

/** What the file system of a folder has left. */
export interface DiskSpace {
  /** Free blocks and inodes, in the measure of `folderUsage`: a folder's usage cannot grow by more than this falls. */
  readonly free: number;
  /** For users other than root. */
  readonly availableBytes: number;
}

/** Takes 5 µs. Nothing is left of what cannot be read. */
export function readDiskSpace(folder: string): DiskSpace {
  try {
    const { bfree, bavail, ffree, bsize } = statfsSync(folder);
    return { free: bfree * bsize + ffree * ENTRY_BYTES, availableBytes: bavail * bsize };
  } catch {
    return { free: 0, availableBytes: 0 };
  }
}
