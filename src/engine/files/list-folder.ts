import type { Dirent, Stats } from "node:fs";
import { opendir } from "node:fs/promises";
import type { FileEntry, FileList } from "../../contract/engine/file.ts";
import { isoTime } from "../../shared/clock.ts";
import { hasCode } from "../../shared/error-code.ts";
import type { WorkspaceFolder } from "../tools/workspace-folder.ts";
import { inFolder, statsIn } from "./in-folder.ts";
import { DRAFT_PREFIX, OWN_FOLDER } from "./named-path.ts";

/** Of one folder: a program may leave millions. */
const MAX_NAMES = 50_000;
/** The end of the year 9999: a program can set any time. */
const LAST_TIME = 253_402_300_799_999;
/** Each level holds an open folder. */
const MAX_DEPTH = 100;

interface Walk {
  readonly recursive: boolean;
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly entries: FileEntry[];
  truncated: boolean;
  unreadable: number;
}

/** Lists a folder of the workspace, and with `recursive` those in it. The engine's own folder is left out of the workspace's. */
export async function listFolder(
  workspaceDir: string,
  names: readonly string[],
  { recursive, limit, signal }: Pick<Walk, "recursive" | "limit" | "signal">,
): Promise<FileList> {
  const walk: Walk = { recursive, limit, signal, entries: [], truncated: false, unreadable: 0 };
  await inFolder(workspaceDir, names, (folder) => listInto(walk, folder, names));
  const { entries, truncated, unreadable } = walk;
  return { path: names.join("/"), entries, truncated, unreadable };
}

async function listInto(walk: Walk, folder: WorkspaceFolder, at: readonly string[]): Promise<void> {
  for (const { name } of await namesIn(walk, folder, at)) {
    walk.signal.throwIfAborted();
    if (walk.truncated) return;
    const stats = await statsIn(folder, name);
    if (stats === null) continue;
    if (walk.entries.length === walk.limit) {
      walk.truncated = true;
      return;
    }
    const path = [...at, name];
    walk.entries.push(entryOf(path.join("/"), stats));
    if (walk.recursive && stats.isDirectory()) await descend(walk, folder, path);
  }
}

async function descend(walk: Walk, parent: WorkspaceFolder, path: readonly string[]): Promise<void> {
  if (path.length > MAX_DEPTH) {
    walk.truncated = true;
    return;
  }
  try {
    const folder = await parent.folder(path.at(-1) ?? "");
    try {
      await listInto(walk, folder, path);
    } finally {
      await folder.close();
    }
  } catch (error) {
    // A program removed or exchanged it, or it may not be read.
    if (!hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM")) throw error;
    if (hasCode(error, "EACCES", "EPERM")) walk.unreadable++;
  }
}

/** Sorted. Without names that are not UTF-8, which a path cannot have. */
async function namesIn(walk: Walk, folder: WorkspaceFolder, at: readonly string[]): Promise<readonly Dirent[]> {
  const found: Dirent[] = [];
  for await (const entry of await opendir(folder.at("."))) {
    walk.signal.throwIfAborted();
    if (entry.name.includes("\uFFFD")) walk.unreadable++;
    else if (!isHidden(entry.name, at)) found.push(entry);
    if (found.length > MAX_NAMES) {
      walk.truncated = true;
      break;
    }
  }
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

const isHidden = (name: string, at: readonly string[]): boolean =>
  name.startsWith(DRAFT_PREFIX) || (at.length === 0 && name === OWN_FOLDER);

function entryOf(path: string, stats: Stats): FileEntry {
  return {
    path,
    type: stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other",
    bytes: stats.isFile() ? stats.size : null,
    modified_at: isoTime(Math.min(LAST_TIME, Math.max(0, Math.trunc(stats.mtimeMs)))),
  };
}
