import { lstat, rm } from "node:fs/promises";
import { execa } from "execa";
import { FolderUnusable } from "./engine-backend.ts";
import { ownUser } from "./isolation/owner.ts";

/** Paths longer than the kernel takes, and folders that their owner may not write, as those of Go's module cache. */
const STUBBORN = ["ENAMETOOLONG", "EACCES", "EPERM"];
const MAX_MS = 600_000;

/** Removes a folder with all that commands of an engine have left in it; none is no error. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!isStubborn(error)) throw error;
    const { uid, gid } = await lstat(folder);
    // As its owner, because programs that the daemon starts do not have its capabilities.
    const owner = uid === ownUser().uid ? {} : { uid, gid };
    const options = {
      ...owner,
      cwd: "/",
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      timeout: MAX_MS,
    } as const;
    // What they could not remove, such as the folder itself, is removed or reported below.
    await execa("chmod", ["-R", "u+rwX", "--", folder], { ...options, reject: false });
    await execa("rm", ["-rf", "--", folder], { ...options, reject: false });
    await removeRest(folder, uid);
  }
}

async function removeRest(folder: string, uid: number): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!isStubborn(error)) throw error;
    throw new FolderUnusable(
      `the engine's folder (user ${uid}) cannot be removed by orchd (user ${ownUser().uid}); as root, remove the folder that orchd's log names`,
      { cause: error },
    );
  }
}

const isStubborn = (error: unknown): boolean =>
  error instanceof Error && "code" in error && STUBBORN.includes(String(error.code));
