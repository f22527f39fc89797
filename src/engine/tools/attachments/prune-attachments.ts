import { lstatSync, rmSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../../shared/error-code.ts";
import type { Logger } from "../../../shared/logger.ts";
import { WorkspaceFolder } from "../workspace-folder.ts";
import { ATTACHMENTS_FOLDER } from "./attachment-files.ts";

/** Longer than a message takes from its files to its turn. */
const KEPT_MS = 24 * 3600 * 1000;

/**
 * Deletes files of attachments that no conversation has, a day after they were written: the engine was killed before
 * their turn was stored. Never rejects.
 */
export async function pruneAttachments({
  workspaceDir,
  names,
  logger,
}: {
  readonly workspaceDir: string;
  /** The names that conversations have. */
  readonly names: { in(folder: string): Promise<ReadonlySet<string>> };
  readonly logger: Logger;
}): Promise<void> {
  try {
    const folder = await WorkspaceFolder.open(workspaceDir, join(await realpath(workspaceDir), ATTACHMENTS_FOLDER));
    try {
      const files = (await folder.entries()).filter((entry) => entry.isFile());
      const isOld = (name: string) => Date.now() - lstatSync(folder.at(name)).mtimeMs > KEPT_MS;
      const old = files.filter(({ name }) => isOld(name));
      if (old.length === 0) return;
      const used = await names.in(ATTACHMENTS_FOLDER);
      const orphans = old.filter(({ name }) => !used.has(name));
      // In one step for each: a message that sends the file again writes it anew.
      for (const { name } of orphans) if (isOld(name)) rmSync(folder.at(name), { force: true });
      if (orphans.length > 0) logger.info({ pruned: orphans.length }, "deleted attachments without a message");
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) logger.debug({ err: error }, "failed to prune attachments");
  }
}
