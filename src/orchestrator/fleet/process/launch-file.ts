import { chownSync, rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LAUNCH_FILE_VARIABLE } from "../../../contract/engine/launch-file.ts";

import { makeTraversable } from "../isolation/file-modes.ts";
import type { Owner } from "../../../sandbox/folders.ts";
import { startArguments, startVariable } from "../../../sandbox/processes.ts";

const NAME = /^launch-(.+)\.json$/;
/** Above the longest boot. An older file belongs to a daemon that crashed. */
const MAX_AGE_MS = 600_000;

export const launchFilePath = (runDir: string, incarnation: string): string =>
  join(runDir, `launch-${incarnation}.json`);

/** The incarnation of a launch file's path. Null for any other path. */
export function incarnationOf(runDir: string, path: string): string | null {
  return dirname(path) === runDir ? (NAME.exec(basename(path))?.[1] ?? null) : null;
}

/**
 * The launch file of a process, by its environment, which its child processes inherit. For an engine
 * of another user, that takes CAP_SYS_PTRACE, but its arguments, which contain the path too, are readable.
 */
export function launchFileOf(pid: number): string | null {
  return (
    startVariable(pid, LAUNCH_FILE_VARIABLE) ??
    startArguments(pid).find((argument) => NAME.test(basename(argument))) ??
    null
  );
}

/** Writes the launch parameters, with secrets, to a file that only the engine's user can read. */
export function writeLaunchFile(path: string, launch: string, owner: Owner): void {
  makeTraversable(dirname(path));
  writeFileSync(path, launch, { mode: 0o400, flag: "wx" });
  chownSync(path, owner.uid, owner.gid);
}

export function removeLaunchFile(path: string): void {
  rmSync(path, { force: true });
}

/** Removes launch files of crashed daemons, since they hold secrets. */
export async function removeOldLaunchFiles(runDir: string): Promise<void> {
  makeTraversable(runDir);
  for (const name of await readdir(runDir)) {
    if (!NAME.test(name)) continue;
    const path = join(runDir, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > MAX_AGE_MS) removeLaunchFile(path);
  }
}
