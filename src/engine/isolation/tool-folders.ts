import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../../shared/error-code.ts";
import type { Logger } from "../../shared/logger.ts";
import type { EngineFolders } from "./file-rules.ts";

const MODE = 0o700;

/**
 * Makes the folders of the tools. The temporary one is new and empty: files of an earlier incarnation are moved
 * aside, and removed in the background, because a tool may have left millions of files. Synchronous: a few calls that
 * take microseconds are faster than the thread pool.
 */
export function makeToolFolders(
  { workspace, temporary, cache }: EngineFolders,
  { logger }: { readonly logger: Logger },
): void {
  const parent = dirname(temporary);
  const prefix = `${basename(temporary)}-`;
  mkdirSync(workspace, { recursive: true });
  if (!removeEmpty(temporary)) renameSync(temporary, join(mkdtempSync(join(parent, prefix)), "old"));
  mkdirSync(temporary, { mode: MODE });
  mkdirSync(cache, { recursive: true, mode: MODE });
  const old = readdirSync(parent).filter((name) => name.startsWith(prefix));
  const removeOld = async () => {
    for (const name of old) await rm(join(parent, name), { recursive: true, force: true });
  };
  removeOld().catch((error: unknown) => logger.warn({ err: error }, "failed to remove old temporary files"));
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
