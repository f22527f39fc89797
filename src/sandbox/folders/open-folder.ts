import { type Dir, type Dirent, constants } from "node:fs";
import { type FileHandle, chmod, open, opendir } from "node:fs/promises";
import { hasCode, unlessMissing } from "../system/error-code.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Opens a file without permission to read it. Node.js has no constant for it. */
const O_PATH = 0o10000000;
const OWNER_ALL = 0o700;

/** A path, or one of {@link entryPath}. Names are bytes, and not always valid UTF-8. */
export type FilePath = string | Buffer;

export interface FolderEntry {
  readonly name: Buffer;
  /** False also where the file system does not tell. */
  readonly isFolder: boolean;
}

/** Opens a folder, never through a link. */
export const openFolder = (path: FilePath): Promise<FileHandle> => open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

/** As {@link openFolder}, of a folder that may lack permissions of its owner: they are added where this process may. */
export async function openFolderAsOwner(path: FilePath): Promise<FileHandle> {
  const folder = await openFolder(path).catch(async (error: unknown) => {
    if (!hasCode(error, "EACCES")) throw error;
    await using unreadable = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    await chmod(folderPath(unreadable), OWNER_ALL);
    return await open(folderPath(unreadable), O_RDONLY | O_DIRECTORY);
  });
  try {
    const { mode } = await folder.stat();
    if ((mode & OWNER_ALL) !== OWNER_ALL) await folder.chmod(OWNER_ALL);
  } catch (error) {
    // What the caller does in it fails then, or not.
    if (!hasCode(error, "EPERM", "EACCES")) {
      await folder.close();
      throw error;
    }
  }
  return folder;
}

/** The path of an open folder, wherever it was moved. */
export const folderPath = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

/** The path of an entry through its open folder: no part of it can become a link, and it is never too long. */
export const entryPath = (folder: FileHandle, name: FilePath): Buffer =>
  Buffer.concat([Buffer.from(`${folderPath(folder)}/`), Buffer.from(name)]);

/**
 * The entries of an open folder, a few at a time: a program may have left millions. None for a folder that was removed. Takes
 * one descriptor meanwhile.
 */
export async function* entriesOf(folder: FileHandle, atOnce: number): AsyncGenerator<readonly FolderEntry[]> {
  // The types lack that `buffer` gives names as bytes.
  const options = { encoding: "buffer" as BufferEncoding, bufferSize: atOnce };
  const stream = await unlessMissing(opendir(folderPath(folder), options));
  if (stream === null) return;
  await using open = stream;
  for (;;) {
    const some: FolderEntry[] = [];
    for (let entry = await nextOf(open); entry !== null; entry = await nextOf(open)) {
      some.push({ name: entry.name as unknown as Buffer, isFolder: entry.isDirectory() });
      if (some.length === atOnce) break;
    }
    if (some.length > 0) yield some;
    if (some.length < atOnce) return;
  }
}

const nextOf = (stream: Dir): Promise<Dirent | null> => unlessMissing(stream.read());
