import { mkdirSync, mkdtempSync, renameSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { TEMPORARY_PREFIX as prefix } from "../../contract/engine/folders.ts";
import { hasCode } from "../../shared/error-code.ts";
import { removeLeftovers } from "../../sandbox/folders.ts";
import type { ProgramFolders } from "../../sandbox/programs.ts";
import type { Logger } from "../../shared/logger.ts";

const MODE = 0o700;

/**
 * Makes the folders of the tools. The temporary one is new and empty: files of an earlier incarnation are moved
 * aside, and removed in the background, because a tool may have left millions of files. Synchronous: a few calls that
 * take microseconds are faster than the thread pool.
 */
export function makeToolFolders(
  { workspace, temporary, cache }: ProgramFolders,
  { logger }: { readonly logger: Logger },
): void {
  const parent = dirname(temporary);
  mkdirSync(workspace, { recursive: true });
  if (!removeEmpty(temporary)) renameSync(temporary, join(mkdtempSync(join(parent, prefix)), "old"));
  mkdirSync(temporary, { mode: MODE });
  mkdirSync(cache, { recursive: true, mode: MODE });
  removeLeftovers({ aside: parent, prefix }).catch((error: unknown) =>
    logger.warn({ err: error }, "failed to remove old temporary files"),
  );
}

/** True when the path does not exist afterwards; false for a folder with files and for another kind of file. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR")) return false;
    if (hasCode(error, "ENOENT")) return true;
    throw error;
  }
}
