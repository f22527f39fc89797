import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../../shared/error-code.ts";
import type { Logger } from "../../shared/logger.ts";
import type { EngineFolders } from "./file-rules.ts";

const MODE = 0o700;

/**
 * Makes the folders of the tools. The temporary one is new and empty: what an earlier life of the engine left is moved
 * aside, and removed in the background, because a tool may have left millions of files.
 */
export async function makeToolFolders(
  { workspace, temporary, cache }: EngineFolders,
  { logger }: { readonly logger: Logger },
): Promise<void> {
  const parent = dirname(temporary);
  const prefix = `${basename(temporary)}-`;
  await mkdir(workspace, { recursive: true });
  const aside = await mkdtemp(join(parent, prefix));
  await rename(temporary, join(aside, "old")).catch(unlessMissing);
  await mkdir(temporary, { mode: MODE });
  await mkdir(cache, { recursive: true, mode: MODE });
  const removeOld = async () => {
    for (const name of await readdir(parent))
      if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
  };
  removeOld().catch((error: unknown) => logger.warn({ err: error }, "failed to remove old temporary files"));
}

function unlessMissing(error: unknown): void {
  if (!hasCode(error, "ENOENT")) throw error;
}
