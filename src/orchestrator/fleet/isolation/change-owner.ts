import { lstatSync } from "node:fs";
import { LinkedOutside, type Owner, changeOwner as changeOwnerOf } from "../../../sandbox/folders.ts";
import { hasCode } from "../../../shared/error-code.ts";
import { StorageUnusable } from "../launch-failed.ts";
import { daemonUser } from "./owner.ts";

/**
 * Gives an engine's folder and everything in it to a user, with mode 0700. None of the engine's processes may run. Throws
 * {@link StorageUnusable} without the right to do so, and for hard links to files outside.
 */
export async function changeOwner(folder: string, owner: Owner): Promise<void> {
  try {
    await changeOwnerOf(folder, owner);
  } catch (cause) {
    const problem = problemOf(cause, folder, owner);
    throw problem === null ? cause : new StorageUnusable(problem, { cause });
  }
}

function problemOf(cause: unknown, folder: string, { uid }: Owner): string | null {
  if (cause instanceof LinkedOutside)
    return (
      `${cause.files} files of the engine's folder have hard links outside of it, so their owner cannot be changed; ` +
      "replace the folder by a copy without links (cp -a), or remove the links"
    );
  if (!hasCode(cause, "EPERM", "EACCES")) return null;
  return (
    `the engine's folder belongs to user ${lstatSync(folder).uid}, and orchd (user ${daemonUser().uid}) may not give it to user ${uid}; ` +
    "start orchd as it ran before, or as root run chown -R on the folder that orchd's log names"
  );
}
