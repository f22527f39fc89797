import { lstat, open, realpath } from "node:fs/promises";
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../../shared/error-code.ts";
import type { FileState } from "../store/file-changes.ts";
import { WorkspaceFolder } from "../tools/workspace-folder.ts";
import { hashOf } from "./content-store.ts";
import { NO_FILE, stateOf } from "./file-stamp.ts";

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** The way to it leads through a link or a file now. */
const BLOCKED: FileState = { kind: "other", stamp: null };

/** Opens the folder of a path, as it was real once. No part of it may be a link now. */
export async function withFolderOf<T>(
  workspaceDir: string,
  path: string,
  use: (folder: WorkspaceFolder, name: string) => Promise<T>,
  options: { readonly create?: boolean } = {},
): Promise<T> {
  const target = join(await realpath(workspaceDir), path);
  const folder = await WorkspaceFolder.open(workspaceDir, dirname(target), options);
  try {
    return await use(folder, basename(target));
  } finally {
    await folder.close();
  }
}

export async function currentState(workspaceDir: string, path: string): Promise<FileState> {
  try {
    return await withFolderOf(workspaceDir, path, (folder, name) => stateIn(folder, name));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return NO_FILE;
    if (hasCode(error, "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG")) return BLOCKED;
    throw error;
  }
}

export async function stateIn(folder: WorkspaceFolder, name: string): Promise<FileState> {
  try {
    return stateOf(await lstat(folder.at(name)));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return NO_FILE;
    throw error;
  }
}

/** Null for what cannot be read, and for a file larger than any content that is kept. */
export async function currentDigest(workspaceDir: string, path: string): Promise<string | null> {
  try {
    return await withFolderOf(workspaceDir, path, async (folder, name) => {
      if (!(await lstat(folder.at(name))).isFile()) return null;
      await using file = await open(folder.at(name), READ);
      return (await file.stat()).isFile() ? ((await hashOf(file))?.digest ?? null) : null;
    });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENXIO", "EIO")) return null;
    throw error;
  }
}
