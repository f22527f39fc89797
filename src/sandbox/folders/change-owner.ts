import { lchownSync, lstatSync, readdirSync } from "node:fs";
import { type FileHandle, lchown } from "node:fs/promises";
import { openFolder } from "./open-folder.ts";
import { walkFolder } from "./walk-folder.ts";

/** A user and its group, as owner of files and processes. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const FOLDER_MODE = 0o700;

/** Files of a folder have hard links outside of it, and would be given away with it. */
export class LinkedOutside extends Error {
  override readonly name = "LinkedOutside";
  readonly files: number;

  constructor(files: number) {
    super(`${files} files have hard links outside of the folder`);
    this.files = files;
  }
}

/**
 * Gives a folder and everything in it to a user, with mode 0700. No program may run in it. The folder itself changes last,
 * so a change that was interrupted is done again. Throws {@link LinkedOutside} with nothing changed, and the system's
 * error, such as EPERM.
 */
export async function changeOwner(folder: string, owner: Owner): Promise<void> {
  if (isOwnedBy(folder, owner)) return;
  if (isNew(folder)) return lchownSync(folder, owner.uid, owner.gid);
  await using top = await openFolder(folder);
  await refuseLinksOutside(top, owner);
  await giveBelow(top, owner);
  await top.chown(owner.uid, owner.gid);
  await top.chmod(FOLDER_MODE);
}

/** Synchronous: this is the usual case and costs one system call at each launch. */
function isOwnedBy(folder: string, { uid }: Owner): boolean {
  const stat = lstatSync(folder);
  return stat.isDirectory() && stat.uid === uid && (stat.mode & 0o777) === FOLDER_MODE;
}

/** Synchronous, because it is quick. */
function isNew(folder: string): boolean {
  const stat = lstatSync(folder);
  return stat.isDirectory() && (stat.mode & 0o777) === FOLDER_MODE && readdirSync(folder).length === 0;
}

const giveBelow = (folder: FileHandle, { uid, gid }: Owner): Promise<void> =>
  walkFolder(folder, {
    async entry({ path, stats }) {
      if (!stats.isDirectory() && (stats.uid !== uid || stats.gid !== gid)) await lchown(path, uid, gid);
    },
    leave: (below) => below.chown(uid, gid),
  });

interface LinkedFile {
  readonly links: number;
  seen: number;
}

/**
 * A program that ran as the owner could link any file of that user into the folder. To give it away would give away the
 * file outside.
 */
async function refuseLinksOutside(top: FileHandle, { uid }: Owner): Promise<void> {
  const linked = new Map<string, LinkedFile>();
  await walkFolder(top, {
    entry({ stats }) {
      if (stats.isDirectory() || stats.nlink === 1 || stats.uid === uid) return;
      const key = `${stats.dev}:${stats.ino}`;
      const known = linked.get(key) ?? { links: stats.nlink, seen: 0 };
      known.seen++;
      linked.set(key, known);
    },
  });
  const outside = [...linked.values()].filter(({ links, seen }) => seen < links).length;
  if (outside > 0) throw new LinkedOutside(outside);
}
