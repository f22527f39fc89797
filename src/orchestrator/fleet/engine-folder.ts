import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exists } from "../../shared/files.ts";
import { LaunchFailed } from "./engine-backend.ts";
import { openAnew } from "./engine-file.ts";
import { removeFolder } from "./remove-folder.ts";
import { systemReason } from "./system-reason.ts";

/** Left in a folder that was brought back for a provision that has not succeeded yet. */
const RESTORED = ".restored";

/** Makes an engine's folder, or brings back the one that an earlier engine of the user left on `keep_data`. */
export async function prepareEngineFolder(folder: string, kept: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    if (await exists(kept)) {
      await (await openAnew(join(kept, RESTORED))).close();
      await rename(kept, folder);
    }
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new LaunchFailed(`the engine's folder cannot be made: ${systemReason(error)}`, { cause: error });
  }
}

/** Whether the folder is one that was brought back, for a provision that has not succeeded yet. */
export const isRestored = (folder: string): Promise<boolean> => exists(join(folder, RESTORED));

/** The provision succeeded: what was brought back belongs to the engine now. */
export async function settleEngineFolder(folder: string): Promise<void> {
  await rm(join(folder, RESTORED), { force: true });
}

/** Undoes {@link prepareEngineFolder}: what the provision made is removed, what it brought back is put back. */
export async function discardEngineFolder(folder: string, kept: string): Promise<void> {
  if (await isRestored(folder)) {
    await keepEngineFolder(folder, kept);
    await rm(join(kept, RESTORED), { force: true });
  } else {
    await removeEngineFolder(folder);
  }
}

export async function removeEngineFolder(folder: string): Promise<void> {
  await removeFolder(folder);
}

/** Puts an engine's folder aside for the user's next engine. */
export async function keepEngineFolder(folder: string, kept: string): Promise<void> {
  if (!(await exists(folder))) return;
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
  await removeFolder(kept);
  await rename(folder, kept);
}

/** The names in a folder; none when it does not exist. */
export async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
