import { closeSync, openSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import { errorCode } from "../../shared/error-code.ts";
import type { EngineExitName } from "../../contract/engine/exit.ts";

/** The engine cannot run with its store. The message names files, never folders of this machine. */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable";
  readonly exit: EngineExitName;

  constructor(exit: EngineExitName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

/** SQLite's primary result codes. */
const PERM = 3;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const FULL = 13;
const CANTOPEN = 14;

/** Wraps an error of SQLite or the operating system about `file`. Returns any other error unchanged. */
export function storeUnusable(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnusable) return error;
  const exit = "errcode" in error ? exitOfSqlite(Number(error.errcode), file) : systemExit(error);
  return exit === null ? error : new StoreUnusable(exit, describe(exit, { file, error }), { cause: error });
}

/** The exit of a system error on any file of the engine; null for other errors. */
export function systemExit(error: unknown): EngineExitName | null {
  switch (errorCode(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "permission_denied";
    case "ENOSPC":
    case "EDQUOT":
      return "disk_full";
    default:
      return null;
  }
}

function exitOfSqlite(errcode: number, file: string): EngineExitName {
  switch (errcode & 0xff) {
    case BUSY:
    case LOCKED:
      return "store_locked";
    case FULL:
      return "disk_full";
    case PERM:
    case READONLY:
      return "permission_denied";
    case CANTOPEN:
      return openProblem(file) ?? "store_unreadable";
    default:
      return "store_unreadable";
  }
}

/** SQLite does not report why it could not open a file; the operating system does. */
function openProblem(file: string): EngineExitName | null {
  try {
    closeSync(openSync(file, "a"));
    return null;
  } catch (error) {
    return systemExit(error);
  }
}

function describe(exit: EngineExitName, { file, error }: { readonly file: string; readonly error: Error }): string {
  const name = basename(file);
  if (exit === "permission_denied") return `permission denied on ${name}`;
  if (exit === "disk_full") return `no space left on the device for ${name}`;
  if (exit !== "store_locked") return `${name} cannot be used (${error.message})`;
  const pids = fileHolders(file);
  return `${name} is locked by ${pids.length === 0 ? "another process" : `process ${pids.join(", ")}`}`;
}

/** Pids of other processes that have a file open, where `/proc` permits. Scans all of `/proc`: for error messages only. */
function fileHolders(file: string): readonly number[] {
  const path = attempt(() => realpathSync(file));
  if (path === null) return [];
  return list("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      list(`/proc/${pid}/fd`).some((fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === path),
    )
    .map(Number);
}

const list = (folder: string): string[] => attempt(() => readdirSync(folder)) ?? [];

/** Best effort: what cannot be read is skipped. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
