import { type Dir, type Dirent, type Stats, closeSync, constants, lstatSync, opendirSync, openSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import { hasCode } from "../../shared/error-code.ts";
import { stampOf } from "./file-stamp.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Each level holds an open folder. */
const MAX_DEPTH = 100;
const ENTRIES_AT_ONCE = 64;
/** Other work of the engine comes between slices of this length. */
const SLICE_MS = 4;
/** Long outputs and attachments are the engine's. */
const OWN_FOLDER = ".orch";

export interface ListingBounds {
  readonly maxEntries: number;
  readonly timeoutMs: number;
}
export const LISTING_BOUNDS: ListingBounds = { maxEntries: 50_000, timeoutMs: 1000 };

/** By path, relative to the workspace: the mode and the stamp of a file, or what else it is. */
export type ListedEntry = "folder" | `${"other" | number} ${string}`;

export type WorkspaceListing =
  | { readonly kind: "listed"; readonly entries: ReadonlyMap<string, ListedEntry> }
  | { readonly kind: "incomplete"; readonly reason: "too_large" | "unreadable" };

type Walk = { readonly entries: Map<string, ListedEntry>; readonly end: number; slice: number } & ListingBounds;

class Incomplete extends Error {
  readonly reason: "too_large" | "unreadable";
  constructor(reason: "too_large" | "unreadable") {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Lists a workspace in which programs may run, through descriptors and never through a link. Synchronous calls in short
 * slices: for ten thousand files they take a fifth of what the thread pool takes. A folder that cannot be read, and a name
 * that is not UTF-8, make the listing incomplete.
 */
export async function listWorkspace(workspaceDir: string, bounds = LISTING_BOUNDS): Promise<WorkspaceListing> {
  const now = performance.now();
  const walk: Walk = { ...bounds, entries: new Map(), end: now + bounds.timeoutMs, slice: now + SLICE_MS };
  try {
    await listFolder(workspaceDir, { prefix: "", depth: 0 }, walk);
    return { kind: "listed", entries: walk.entries };
  } catch (error) {
    if (error instanceof Incomplete) return { kind: "incomplete", reason: error.reason };
    throw error;
  }
}

async function listFolder(
  path: string | Buffer,
  { prefix, depth }: { readonly prefix: string; readonly depth: number },
  walk: Walk,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new Incomplete("too_large");
  const folder = openFolder(path);
  if (folder === null) return;
  try {
    const self = Buffer.from(`/proc/self/fd/${folder}/`);
    const folders: Buffer[] = [];
    const entries = opened(() =>
      opendirSync(self, { encoding: "buffer" as BufferEncoding, bufferSize: ENTRIES_AT_ONCE }),
    );
    if (entries === null) return;
    try {
      for (let entry = next(entries); entry !== null; entry = next(entries)) {
        const name = entry.name as unknown as Buffer;
        if (prefix === "" && name.equals(Buffer.from(OWN_FOLDER))) continue;
        const stats = lstatSync(Buffer.concat([self, name]), { throwIfNoEntry: false });
        if (stats === undefined) continue;
        if (!isUtf8(name)) throw new Incomplete("unreadable");
        walk.entries.set(`${prefix}${name.toString()}`, listed(stats));
        if (stats.isDirectory()) folders.push(name);
        if (walk.entries.size > walk.maxEntries) throw new Incomplete("too_large");
        if (performance.now() > walk.slice) await nextSlice(walk);
      }
    } finally {
      entries.closeSync();
    }
    for (const name of folders)
      await listFolder(Buffer.concat([self, name]), { prefix: `${prefix}${name.toString()}/`, depth: depth + 1 }, walk);
  } finally {
    closeSync(folder);
  }
}

async function nextSlice(walk: Walk): Promise<void> {
  if (performance.now() > walk.end) throw new Incomplete("too_large");
  await setImmediate();
  walk.slice = performance.now() + SLICE_MS;
}

function listed(stats: Stats): ListedEntry {
  if (stats.isDirectory()) return "folder";
  return `${stats.isFile() ? stats.mode & 0o777 : "other"} ${stampOf(stats)}`;
}

/** Null for a folder that a program removed or exchanged meanwhile. */
const openFolder = (path: string | Buffer): number | null =>
  opened(() => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));

function opened<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return null;
    if (hasCode(error, "EACCES", "EPERM")) throw new Incomplete("unreadable");
    throw error;
  }
}

function next(entries: Dir): Dirent | null {
  try {
    return entries.readSync();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
