import { lstat, realpath } from "node:fs/promises";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { errorCode, hasCode } from "../../shared/error-code.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import { WorkspaceFolder } from "../tools/workspace-folder.ts";

export interface PlaceOptions {
  /** Makes missing folders. */
  readonly create?: boolean;
  /** The parameter that has the path. */
  readonly field?: string;
}

/**
 * Opens the folder of a path and closes it after `use`. No part of the path is followed if it is a link. Errors of the file
 * system become those of the interface.
 */
export async function inFolderOf<T>(
  workspaceDir: string,
  names: readonly string[],
  use: (folder: WorkspaceFolder, name: string) => Promise<T>,
  options: PlaceOptions = {},
): Promise<T> {
  const name = names.at(-1) ?? "";
  return inFolder(workspaceDir, names.slice(0, -1), (folder) => use(folder, name), { ...options, shown: names });
}

/** As {@link inFolderOf}, with the folder itself. */
export async function inFolder<T>(
  workspaceDir: string,
  names: readonly string[],
  use: (folder: WorkspaceFolder) => Promise<T>,
  { create = false, field = "path", shown = names }: PlaceOptions & { readonly shown?: readonly string[] } = {},
): Promise<T> {
  try {
    const root = await realpath(workspaceDir);
    const folder = await WorkspaceFolder.open(workspaceDir, join(root, ...names), { create });
    try {
      return await use(folder);
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw refusalOfPath(error, shown.join("/"), field);
  }
}

/** Null when nothing has this name. */
export async function statsIn(folder: WorkspaceFolder, name: string): Promise<Stats | null> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

export const nothingThere = (path: string, field = "path"): EngineError =>
  new EngineError("NOT_FOUND", `${field}: the workspace has no ${path}`);

function refusalOfPath(error: unknown, path: string, field: string): unknown {
  if (hasCode(error, "ENOENT")) return nothingThere(path, field);
  if (hasCode(error, "ENOTDIR", "ELOOP"))
    return new InvalidInput(field, `${path} leads through something that is not a folder; links are not followed`);
  if (hasCode(error, "EACCES", "EPERM", "ENAMETOOLONG", "ENXIO", "EINVAL", "EBUSY"))
    return new InvalidInput(field, `${path} cannot be used (${errorCode(error)})`);
  if (hasCode(error, "ENOSPC", "EDQUOT", "EFBIG"))
    return new EngineError("PAYLOAD_TOO_LARGE", "the disk has no room for the file");
  return error;
}
