import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { unlessMissing } from "../../../shared/files.ts";
import { ENGINE_LOG } from "./engine-log.ts";

interface RotatedLog {
  readonly path: string;
  readonly size: number;
  readonly rotatedAt: number;
}

/**
 * Removes rotated logs, oldest first, until the total of all engines is at most `maxBytes`. `folder` contains the engine
 * folders, including those of stopped engines. The current logs are bounded by rotation.
 */
export async function capRotatedLogs(folder: string, maxBytes: number): Promise<void> {
  const logs = await rotatedLogs(folder);
  let total = logs.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of logs.toSorted((left, right) => left.rotatedAt - right.rotatedAt)) {
    if (total <= maxBytes) return;
    await rm(path, { force: true });
    total -= size;
  }
}

async function rotatedLogs(folder: string): Promise<RotatedLog[]> {
  const logs: RotatedLog[] = [];
  for (const engine of await list(folder)) {
    for (const name of await list(join(folder, engine))) {
      if (!name.startsWith(`${ENGINE_LOG}.`) || !/\.\d+$/.test(name)) continue;
      const path = join(folder, engine, name);
      const file = await unlessMissing(lstat(path));
      if (file?.isFile()) logs.push({ path, size: file.size, rotatedAt: file.mtimeMs });
    }
  }
  return logs;
}

const list = async (folder: string): Promise<string[]> => (await unlessMissing(readdir(folder))) ?? [];
