import { statSync } from "node:fs";
import { sep } from "node:path";
import type { DiskUsage } from "./disk-meter.ts";
import { folderUsage } from "./folder-usage.ts";
import { type HeldFiles, heldFiles, removedMappings } from "./held-files.ts";

/**
 * Disk usage of a folder, with the removed files that processes still hold open. `isCounted` is asked for the names in the
 * folder itself; default: all count.
 */
export async function measureDisk(
  folder: string,
  pids: readonly number[],
  {
    looksForHidden,
    signal,
    isCounted = () => true,
  }: {
    readonly looksForHidden: boolean;
    readonly signal: AbortSignal;
    readonly isCounted?: (name: string) => boolean;
  },
): Promise<DiskUsage> {
  const { bytes, largest, failure } = await folderUsage(folder, { isCounted, signal });
  const held = heldFiles(pids, statSync(folder).dev);
  const hasHidden = looksForHidden ? hidesFiles(folder, pids, held) : null;
  return { bytes: bytes + held.diskBytes, largest, failure, hasHidden };
}

/** Whether there may be removed files of which only a mapping, or a message with a descriptor, is left. */
function hidesFiles(folder: string, pids: readonly number[], { inTransit, removed }: HeldFiles): boolean {
  if (inTransit > 0) return true;
  const inFolder = ({ path }: { readonly path: string }) => path.startsWith(folder + sep);
  return pids.some((pid) => removedMappings(pid).some((one) => inFolder(one) && !removed.has(one.inode)));
}
