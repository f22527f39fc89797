import { readFileSync } from "node:fs";
import type { ProcessEnd } from "./engine-backend.ts";

/** How many processes the kernel has killed for memory so far; `null` where nobody counts. */
export interface OomKills {
  /** Within the engine's own cgroup. */
  readonly engine: number | null;
  readonly host: number | null;
}

/**
 * Whether the kernel ended an engine for memory. The engine's own count is proof enough even for an adopted engine,
 * whose signal nobody is told. The host's count is weaker: somebody else may have been killed for memory while the
 * engine lived. It counts only beside a KILL that was not ours.
 */
export function killedForMemory({
  end: { code, signal },
  stopping,
  before,
  after,
}: {
  readonly end: ProcessEnd;
  /** We had begun to end it ourselves. */
  readonly stopping: boolean;
  readonly before: OomKills;
  readonly after: OomKills;
}): boolean {
  if (stopping) return false;
  const untold = code === null && signal === null;
  if (after.engine !== null) return (signal === "SIGKILL" || untold) && rose(before.engine, after.engine);
  return signal === "SIGKILL" && rose(before.host, after.host);
}

/** Since boot, over all of the machine. */
export const hostOomKills = (): number | null => oomKillCount("/proc/vmstat");

/**
 * The number behind `oom_kill` in a file of names and numbers. Null when the file cannot be read, whatever the cause:
 * an engine's end must be noticed all the same.
 */
export function oomKillCount(path: string): number | null {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync(path, "utf8"))?.[1];
    return count === undefined ? null : Number(count);
  } catch {
    return null;
  }
}

const rose = (before: number | null, after: number | null): boolean => after !== null && after > (before ?? 0);
