import { lstatSync, rmSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../../shared/error-code.ts";
import type { Logger } from "../../../shared/logger.ts";
import { WorkspaceFolder } from "../workspace-folder.ts";
import { ATTACHMENTS_FOLDER } from "./attachment-files.ts";

/**
 * Deletes files of attachments whose messages were deleted. `files`: each name with the time of its last message. A file
 * that was written later belongs to a message that is about to be stored. Returns how many; never rejects, for what is
 * left is pruned a day later.
 */
export async function removeAttachments(
  files: ReadonlyMap<string, number>,
  { workspaceDir, logger }: { readonly workspaceDir: string; readonly logger: Logger },
): Promise<number> {
  let removed = 0;
  if (files.size === 0) return removed;
  try {
    const folder = await WorkspaceFolder.open(workspaceDir, join(await realpath(workspaceDir), ATTACHMENTS_FOLDER));
    try {
      for (const { name } of (await folder.entries()).filter((entry) => entry.isFile())) {
        // In one step for each file, as a message may write it anew.
        if (lstatSync(folder.at(name)).mtimeMs > (files.get(name) ?? 0)) continue;
        rmSync(folder.at(name), { force: true });
        removed++;
      }
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) logger.warn({ err: error }, "failed to remove attachments of a deleted task");
  }
  return removed;
}
