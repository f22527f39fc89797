import { constants, lchownSync, lstatSync, readdirSync } from "node:fs";
import { type FileHandle, lchown, lstat, open, readdir } from "node:fs/promises";
import { hasCode } from "../../../shared/error-code.ts";
import { StorageUnusable } from "../launch-failed.ts";
import { type Owner, daemonUser } from "./owner.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Files of a folder whose owner is changed at the same time. */
const AT_ONCE = 64;
const FOLDER_MODE = 0o700;

/**
 * Gives an engine's folder and everything in it to a user, with mode 0700. None of the engine's processes
 * may run. The folder itself changes last, so a change that was interrupted is done again. Throws
 * {@link StorageUnusable} without the right to do so, and for hard links to files outside.
 */
export async function changeOwner(folder: string, owner: Owner): Promise<void> {
  if (isOwnedBy(folder, owner)) return;
  try {
    if (isNew(folder)) return lchownSync(folder, owner.uid, owner.gid);
    await using top = await openFolder(folder);
    await refuseLinksOutside(top, owner);
    await giveBelow(top, owner);
    await top.chown(owner.uid, owner.gid);
    await top.chmod(FOLDER_MODE);
  } catch (error) {
    if (!hasCode(error, "EPERM", "EACCES")) throw error;
    throw new StorageUnusable(
      `the engine's folder belongs to user ${lstatSync(folder).uid}, and orchd (user ${daemonUser().uid}) may not give it to user ${owner.uid}; ` +
        "start orchd as it ran before, or as root run chown -R on the folder that orchd's log names",
      { cause: error },
    );
  }
}

/** Synchronous: this is the usual case and costs one system call at each launch. */
function isOwnedBy(folder: string, { uid }: Owner): boolean {
  const stat = lstatSync(folder);
  return stat.isDirectory() && stat.uid === uid && (stat.mode & 0o777) === FOLDER_MODE;
}

/** Synchronous, because every provision waits for it. */
function isNew(folder: string): boolean {
  const stat = lstatSync(folder);
  return stat.isDirectory() && (stat.mode & 0o777) === FOLDER_MODE && readdirSync(folder).length === 0;
}

const openFolder = (path: string | Buffer): Promise<FileHandle> => open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

/** The path of an entry through its open folder: no part of it can become a link, and it is never too long. */
const entryPath = ({ fd }: FileHandle, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), name]);

/** Names are bytes, and not always valid UTF-8. */
const entryNames = ({ fd }: FileHandle): Promise<Buffer[]> => readdir(`/proc/self/fd/${fd}`, { encoding: "buffer" });

async function giveBelow(folder: FileHandle, { uid, gid }: Owner): Promise<void> {
  const folders: Buffer[] = [];
  const give = async (name: Buffer): Promise<void> => {
    const path = entryPath(folder, name);
    const stat = await lstat(path);
    if (stat.isDirectory()) folders.push(path);
    else if (stat.uid !== uid || stat.gid !== gid) await lchown(path, uid, gid);
  };
  const names = await entryNames(folder);
  for (let start = 0; start < names.length; start += AT_ONCE)
    await Promise.all(names.slice(start, start + AT_ONCE).map(give));
  for (const path of folders) {
    await using below = await openFolder(path);
    await giveBelow(below, { uid, gid });
    await below.chown(uid, gid);
  }
}

interface LinkedFile {
  readonly links: number;
  seen: number;
}

/**
 * A tool that ran as the daemon's user could link any file of that user into its workspace. To give it away would give
 * away the file outside.
 */
async function refuseLinksOutside(top: FileHandle, { uid }: Owner): Promise<void> {
  const linked = new Map<string, LinkedFile>();
  await countLinks(top, uid, linked);
  const outside = [...linked.values()].filter(({ links, seen }) => seen < links).length;
  if (outside === 0) return;
  throw new StorageUnusable(
    `${outside} files of the engine's folder have hard links outside of it, so their owner cannot be changed; ` +
      "replace the folder by a copy without links (cp -a), or remove the links",
  );
}

async function countLinks(folder: FileHandle, uid: number, linked: Map<string, LinkedFile>): Promise<void> {
  for (const name of await entryNames(folder)) {
    const path = entryPath(folder, name);
    const stat = await lstat(path);
    if (stat.isDirectory()) {
      await using below = await openFolder(path);
      await countLinks(below, uid, linked);
    } else if (stat.nlink > 1 && stat.uid !== uid) {
      const key = `${stat.dev}:${stat.ino}`;
      const known = linked.get(key) ?? { links: stat.nlink, seen: 0 };
      known.seen++;
      linked.set(key, known);
    }
  }
}
