import { type Stats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { InvalidInput } from "../../shared/parse.ts";
import type { WorkspaceFolder } from "../tools/workspace-folder.ts";
import { inFolderOf, nothingThere, statsIn } from "./in-folder.ts";

/** O_NONBLOCK: opening a FIFO without a writer would block a thread for ever. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** A regular file. The opener closes it. */
export interface OpenContent {
  readonly file: FileHandle;
  readonly stats: Stats;
}

/** Opens a file of the workspace: no link, folder, pipe, socket or device. */
export const openContent = (workspaceDir: string, names: readonly string[]): Promise<OpenContent> =>
  inFolderOf(workspaceDir, names, (folder, name) => openIn(folder, name, names.join("/")));

export async function openIn(folder: WorkspaceFolder, name: string, path: string): Promise<OpenContent> {
  // Checked before opening, because opening a device may have side effects.
  const before = await statsIn(folder, name);
  if (before === null) throw nothingThere(path);
  assertFile(before, path);
  const file = await open(folder.at(name), READ);
  try {
    const stats = await file.stat();
    assertFile(stats, path);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function assertFile(stats: Stats, path: string): void {
  if (!stats.isFile()) throw new InvalidInput("path", `expected a file; ${path} is ${kindOf(stats)}`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  return stats.isSymbolicLink() ? "a link, which is not followed" : "a pipe, socket or device";
}
