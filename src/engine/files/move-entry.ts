import type { Stats } from "node:fs";
import { link, lstat, rename, unlink } from "node:fs/promises";
import { hasCode } from "../../shared/error-code.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";

interface Move {
  readonly stats: Stats;
  /** Paths through open folders. */
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
  /** The new path, for messages. */
  readonly shown: string;
}

/** Moves a file, folder or link. Only a file is replaced, and only with `overwrite`. */
export async function moveEntry({ stats, from, to, overwrite, shown }: Move): Promise<void> {
  const there = await unlessNone(to);
  const isSame = there !== null && there.dev === stats.dev && there.ino === stats.ino;
  if (there !== null && !(overwrite && there.isFile() && !isSame)) throw exists(shown);
  try {
    // By `link`, which never replaces what a program has made meanwhile. A folder replaces at most an empty one.
    if (stats.isFile() && there === null) {
      await link(from, to);
      await unlink(from);
    } else await rename(from, to);
  } catch (error) {
    if (hasCode(error, "EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR")) throw exists(shown);
    if (hasCode(error, "EINVAL")) throw new InvalidInput("to", "a folder cannot be moved into itself");
    throw error;
  }
}

async function unlessNone(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

const exists = (path: string) => new EngineError("FILE_EXISTS", `to: there is a file or folder at ${path}`);
