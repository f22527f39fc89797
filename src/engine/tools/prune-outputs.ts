import { lstat, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import { OUTPUTS_FOLDER } from "./spill.ts";
import { WorkspaceFolder } from "./workspace-folder.ts";

const MAX_AGE_MS = 7 * 24 * 3600 * 1000;
const MAX_BYTES = 256 * 1024 * 1024;

export interface OutputFile {
  readonly name: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

/**
 * Deletes spilled outputs older than a week, and the oldest above 256 MiB in total. Keeps those written since the first
 * running turn started, which it may still read. Never rejects.
 */
export async function pruneOutputs({
  workspaceDir,
  runningSince,
  logger,
}: {
  readonly workspaceDir: string;
  /** Start times of the running turns. */
  readonly runningSince: readonly number[];
  readonly logger: Logger;
}): Promise<void> {
  try {
    const place = join(await realpath(workspaceDir), OUTPUTS_FOLDER);
    const folder = await WorkspaceFolder.open(workspaceDir, place);
    try {
      const now = Date.now();
      const pruned = outputsToPrune(await filesOf(folder), { now, keptFrom: Math.min(now, ...runningSince) });
      for (const { name } of pruned) await rm(folder.at(name), { force: true });
      if (pruned.length > 0) logger.debug({ pruned: pruned.length }, "pruned tool outputs");
    } finally {
      await folder.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      logger.debug({ err: error }, "failed to prune tool outputs");
  }
}

/** The files to delete; all written at or after `keptFrom` are kept. */
export function outputsToPrune(
  files: readonly OutputFile[],
  { now, keptFrom }: { readonly now: number; readonly keptFrom: number },
): readonly OutputFile[] {
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const pruned: OutputFile[] = [];
  for (const file of files.toSorted((one, other) => one.writtenAt - other.writtenAt)) {
    if (file.writtenAt >= keptFrom || (file.writtenAt >= now - MAX_AGE_MS && bytes <= MAX_BYTES)) break;
    pruned.push(file);
    bytes -= file.bytes;
  }
  return pruned;
}

async function filesOf(folder: WorkspaceFolder): Promise<readonly OutputFile[]> {
  const files: OutputFile[] = [];
  for (const entry of await folder.entries()) {
    if (!entry.isFile()) continue;
    const { size, mtimeMs } = await lstat(folder.at(entry.name));
    files.push({ name: entry.name, bytes: size, writtenAt: mtimeMs });
  }
  return files;
}
