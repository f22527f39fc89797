import { readdirSync, readlinkSync, realpathSync } from "node:fs";

/** Other processes that have a file open, of those that we may look into. Walks through all of `/proc`: not for often. */
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

/** For an error message only: what cannot be looked at is left out. */
function attempt<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
