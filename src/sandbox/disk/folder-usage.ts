import { openFolder } from "../folders/open-folder.ts";
import { walkFolder } from "../folders/walk-folder.ts";

const STAT_BLOCK_BYTES = 512;
/** Minimum of an entry: file systems have about one inode for this space, which empty files could use up. */
export const ENTRY_BYTES = 16_384;

export interface FolderUsage {
  readonly bytes: number;
  /** The size of the largest file, with holes. */
  readonly largest: number;
  /** Why not all could be read: then there is more than `bytes`. Null when it was. */
  readonly failure: Error | null;
}

/**
 * Disk usage of a folder and what is in it, of any depth. Follows no links. Entries that are removed during the walk do not
 * count. Never rejects.
 */
export async function folderUsage(
  root: string,
  {
    isCounted = () => true,
    signal,
  }: {
    /** For the entries of the folder itself. */
    readonly isCounted?: (name: string) => boolean;
    readonly signal?: AbortSignal;
  } = {},
): Promise<FolderUsage> {
  let bytes = 0;
  let largest = 0;
  try {
    await using top = await openFolder(root);
    await walkFolder(top, {
      isLive: true,
      entry({ name, stats, depth }) {
        signal?.throwIfAborted();
        if (depth === 0 && !isCounted(name.toString())) return;
        bytes += Math.max(ENTRY_BYTES, stats.blocks * STAT_BLOCK_BYTES);
        if (stats.isFile()) largest = Math.max(largest, stats.size);
      },
    });
    return { bytes, largest, failure: null };
  } catch (error) {
    return { bytes, largest, failure: error instanceof Error ? error : new Error(String(error)) };
  }
}
