import { lstat, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import { OUTPUTS_FOLDER } from "./spill.ts";
import { WorkspaceFolder } from "./workspace-folder.ts";

const KEPT_MS = 7 * 24 * 3600 * 1000;
const MOST_BYTES = 256 * 1024 * 1024;

export interface OutputFile {
  readonly name: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

/**
 * Drops outputs that were put away long ago, and the oldest of what is too much in all. What was written since the first
 * of the running turns began is kept: a turn may still want to read it. Never rejects.
 */
export async function pruneOutputs({
  workspaceDir,
  runningSince,
  logger,
}: {
  readonly workspaceDir: string;
  /** When the turns in flight began. */
  readonly runningSince: readonly number[];
  readonly logger: Logger;
}): Promise<void> {
  try {
    const place = join(await realpath(workspaceDir), OUTPUTS_FOLDER);
    const folder = await WorkspaceFolder.open(workspaceDir, place);
    try {
      const now = Date.now();
      const dropped = outputsToDrop(await filesOf(folder), { now, keptFrom: Math.min(now, ...runningSince) });
      for (const { name } of dropped) await rm(folder.at(name), { force: true });
      if (dropped.length > 0) logger.debug({ dropped: dropped.length }, "old outputs of tools were dropped");
    } finally {
      await folder.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      logger.debug({ err: error }, "old outputs of tools could not be dropped");
  }
}

/** Which of the files, `keptFrom` being the time from which on all are kept. */
export function outputsToDrop(
  files: readonly OutputFile[],
  { now, keptFrom }: { readonly now: number; readonly keptFrom: number },
): readonly OutputFile[] {
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const dropped: OutputFile[] = [];
  for (const file of files.toSorted((one, other) => one.writtenAt - other.writtenAt)) {
    if (file.writtenAt >= keptFrom || (file.writtenAt >= now - KEPT_MS && bytes <= MOST_BYTES)) break;
    dropped.push(file);
    bytes -= file.bytes;
  }
  return dropped;
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
