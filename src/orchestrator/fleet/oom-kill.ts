import { oomKillCount } from "../../shared/linux/cgroup-folder.ts";
import type { ProcessExit } from "./engine-backend.ts";

/** The number of OOM kills so far. Null where the kernel does not report it. */
export interface OomKills {
  /** Within the engine's own cgroup. */
  readonly engine: number | null;
  readonly host: number | null;
}

/**
 * Whether the OOM killer ended an engine. The count of the engine's own cgroup is proof, even for an adopted engine whose
 * signal is unknown. The host's count may include other processes, so it counts only with a SIGKILL that was not ours.
 */
export function killedForMemory({
  end: { code, signal },
  stopping,
  before,
  after,
}: {
  readonly end: ProcessExit;
  /** The daemon was stopping it. */
  readonly stopping: boolean;
  readonly before: OomKills;
  readonly after: OomKills;
}): boolean {
  if (stopping) return false;
  const isUnknown = code === null && signal === null;
  if (after.engine !== null) return (signal === "SIGKILL" || isUnknown) && rose(before.engine, after.engine);
  return signal === "SIGKILL" && rose(before.host, after.host);
}

/** OOM kills of the whole machine since its boot. */
export const hostOomKills = (): number | null => oomKillCount("/proc/vmstat");

const rose = (before: number | null, after: number | null): boolean => after !== null && after > (before ?? 0);
