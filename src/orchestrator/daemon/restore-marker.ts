import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { exists, readIfThere } from "../../shared/files.ts";

const MARKER = "restore-incomplete";

/** Marks a data folder into which a restore writes. No daemon starts in it. */
export async function markRestore(dataDir: string, restoreId: string): Promise<void> {
  await using file = await open(join(dataDir, MARKER), "w", 0o600);
  await file.writeFile(`${restoreId}\n`);
  await file.sync();
}

/** The id of the restore that did not finish, or null. */
export const readRestoreMark = async (dataDir: string): Promise<string | null> =>
  (await readIfThere(join(dataDir, MARKER)))?.trim() ?? null;

export const removeRestoreMark = (dataDir: string): Promise<void> => rm(join(dataDir, MARKER), { force: true });

/** Throws for a data folder that a restore left incomplete. */
export async function assertNoRestore(dataDir: string): Promise<void> {
  if (await exists(join(dataDir, MARKER)))
    throw new Error("a restore into it did not finish; run orchctl backup restore again, or remove the folder");
}
