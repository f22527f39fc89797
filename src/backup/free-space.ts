import { statfs } from "node:fs/promises";
import { InvalidBackup } from "./invalid-backup.ts";

/** What stays free for the other programs of the host. */
const RESERVE_BYTES = 256 * 1024 * 1024;
/** Smaller files are not worth a look at the file system. */
const SMALL_BYTES = 1024 * 1024;

/** Throws {@link InvalidBackup} when a file of `bytes` would fill the file system. */
export async function assertFreeSpace(folder: string, bytes: number): Promise<void> {
  if (bytes < SMALL_BYTES) return;
  const { bavail, bsize } = await statfs(folder);
  if (bytes + RESERVE_BYTES > bavail * bsize)
    throw new InvalidBackup(`the archive needs more space than is free in ${folder}`);
}
