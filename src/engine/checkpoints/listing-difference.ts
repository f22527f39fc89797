import type { FileState } from "../store/file-changes.ts";
import { FOLDER, NO_FILE, PERMISSIONS } from "./file-stamp.ts";
import type { ListedEntry } from "./workspace-listing.ts";

export interface PathDifference {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
}

type Entries = ReadonlyMap<string, ListedEntry>;

/** What differs between two listings. Null when it is more than `max`. */
export function differenceOf(before: Entries, after: Entries, max: number): readonly PathDifference[] | null {
  const differences: PathDifference[] = [];
  const add = (path: string, from: ListedEntry | undefined, to: ListedEntry | undefined) =>
    differences.push({ path, before: stateOfEntry(from), after: stateOfEntry(to) });
  for (const [path, entry] of after) {
    const old = before.get(path);
    if (old !== entry) add(path, old, entry);
    if (differences.length > max) return null;
  }
  for (const [path, entry] of before) {
    if (!after.has(path)) add(path, entry, undefined);
    if (differences.length > max) return null;
  }
  return differences;
}

function stateOfEntry(entry: ListedEntry | undefined): FileState {
  if (entry === undefined) return NO_FILE;
  if (entry === "folder") return FOLDER;
  const at = entry.indexOf(" ");
  const [kind, stamp] = [entry.slice(0, at), entry.slice(at + 1)];
  return kind === "other"
    ? { kind: "other", stamp }
    : { kind: "file", stamp, mode: Number(kind) & PERMISSIONS, digest: null, reason: "by_command" };
}
