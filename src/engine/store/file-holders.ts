import { readdirSync, readlinkSync, realpathSync } from "node:fs";

/** Pids of other processes that have a file open, where `/proc` permits. Scans all of `/proc`: for error messages only. */
export function fileHolders(file: string): readonly number[] {
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
