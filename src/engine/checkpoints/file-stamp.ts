import type { Stats } from "node:fs";
import type { FileState } from "../store/file-changes.ts";

/** Changes with each change of a file: its size, inode and times. The time of the last change cannot be set by a program. */
export const stampOf = ({ size, ino, mtimeMs, ctimeMs }: Stats): string => `${size} ${ino} ${mtimeMs} ${ctimeMs}`;

export const NO_FILE: FileState = { kind: "none" };
export const FOLDER: FileState = { kind: "folder" };

export const PERMISSIONS = 0o777;

/** The state of a file whose content is not known. */
export function stateOf(stats: Stats): FileState {
  if (stats.isDirectory()) return FOLDER;
  const stamp = stampOf(stats);
  return stats.isFile()
    ? { kind: "file", stamp, mode: stats.mode & PERMISSIONS, digest: null, reason: "by_command" }
    : { kind: "other", stamp };
}

/** Whether two states are the same, as far as that is known without reading a file. */
export function isSameState(one: FileState, other: FileState): boolean {
  if (one.kind !== other.kind) return false;
  if (one.kind === "file" && other.kind === "file") {
    if (one.stamp !== null && one.stamp === other.stamp) return true;
    return one.digest !== null && one.digest === other.digest && one.mode === other.mode;
  }
  if (one.kind === "other" && other.kind === "other") return one.stamp === other.stamp;
  return true;
}
