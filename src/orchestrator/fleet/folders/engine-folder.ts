import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "../../../shared/error-code.ts";
import { exists, unlessMissing } from "../../../shared/files.ts";
import { removeFolder } from "../../../sandbox/folders.ts";
import { StorageUnusable, LaunchFailed } from "../launch-failed.ts";
import type { KeptFor } from "../engine-storage.ts";
import { createFile } from "./engine-file.ts";
import { changeOwner } from "../isolation/change-owner.ts";
import { daemonUser } from "../isolation/owner.ts";
import { makeTraversable } from "../isolation/file-modes.ts";
import { systemReason } from "../system-reason.ts";
import { sha256 } from "../../../contract/orchestrator/api-keys.ts";

/** Marks a folder that was restored for an unfinished provision. */
const RESTORED = ".restored";

/** Creates an engine's folder, or restores the one that a destroy with `keep_data` kept for the user. */
export async function prepareEngineFolder(folder: string, kept: string): Promise<void> {
  try {
    makeTraversable(dirname(folder));
    if (await exists(kept)) await restoreKept(folder, kept);
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new LaunchFailed(`failed to create the engine's folder: ${systemReason(error)}`, { cause: error });
  }
}

async function restoreKept(folder: string, kept: string): Promise<void> {
  try {
    await (await createFile(join(kept, RESTORED))).close();
    await rename(kept, folder);
  } catch (error) {
    // A destroy may have erased the kept data since they were found.
    if (!hasCode(error, "ENOENT") || (await exists(kept))) throw error;
  }
}

/** Whether the folder was restored for an unfinished provision. */
export const isRestored = (folder: string): Promise<boolean> => exists(join(folder, RESTORED));

/** Removes the marker of a restored folder: the provision has succeeded. */
export async function settleEngineFolder(folder: string): Promise<void> {
  await rm(join(folder, RESTORED), { force: true });
}

/** Undoes {@link prepareEngineFolder}: keeps a restored folder again and removes a created one. */
export async function discardEngineFolder(folder: string, kept: string, aside: string): Promise<void> {
  if (await isRestored(folder)) {
    await keepEngineFolder(folder, kept, aside);
    await rm(join(kept, RESTORED), { force: true });
  } else {
    await removeEngineFolder(folder, aside);
  }
}

/** Removes a folder, whatever the engine's tools left in it. `aside`: {@link removedFolder}. Missing is no error. */
export async function removeEngineFolder(folder: string, aside: string): Promise<void> {
  try {
    await removeFolder(folder, { aside });
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM")) throw error;
    const { uid } = await lstat(folder);
    throw new StorageUnusable(
      `the engine's folder (user ${uid}) cannot be removed by orchd (user ${daemonUser().uid}); as root, remove the folder that orchd's log names`,
      { cause: error },
    );
  }
}

/** Moves an engine's folder to `kept`, for the user's next engine. The daemon owns it there: the engine's uid is free. */
export async function keepEngineFolder(folder: string, kept: string, aside: string): Promise<void> {
  if (!(await exists(folder))) return;
  await changeOwner(folder, daemonUser());
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
  await removeEngineFolder(kept, aside);
  await rename(folder, kept);
}

/** The names in a folder, none when it does not exist. */
export const listFolder = async (folder: string): Promise<readonly string[]> =>
  (await unlessMissing(readdir(folder))) ?? [];

/** The folder of an engine's store, workspace, catalog and log. */
export const engineFolder = (dataDir: string, engineId: string): string => join(dataDir, "engines", engineId);

/** The folder that keeps a user's data after a destroy with `keep_data`. A user_id is not a valid file name. */
export const keptFolder = (dataDir: string, { product_id, user_id }: KeptFor): string =>
  join(keptFolders(dataDir), product_id, sha256(user_id));

/** Holds what is being removed. */
export const removedFolder = (dataDir: string): string => join(dataDir, "removed");

/** Holds one folder per product, named by the product's id. */
export const keptFolders = (dataDir: string): string => join(dataDir, "kept");
