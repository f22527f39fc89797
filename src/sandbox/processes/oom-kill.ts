import { oomKillCount } from "../cgroups/cgroup-folder.ts";

/** The number of OOM kills so far. Null where the kernel does not report it. */
export interface OomKills {
  /** Within the process's own cgroup. */
  readonly own: number | null;
  readonly host: number | null;
}

/**
 * Whether the OOM killer ended a process. The count of its own cgroup is proof, even where nobody saw its exit and its
 * signal is unknown. The host's count may include other processes, so it counts only with a SIGKILL that was not ours.
 */
export function killedForMemory({
  end: { code, signal },
  stopping,
  before,
  after,
}: {
  readonly end: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  /** This process was stopping it. */
  readonly stopping: boolean;
  readonly before: OomKills;
  readonly after: OomKills;
}): boolean {
  if (stopping) return false;
  const isUnknown = code === null && signal === null;
  if (after.own !== null) return (signal === "SIGKILL" || isUnknown) && rose(before.own, after.own);
  return signal === "SIGKILL" && rose(before.host, after.host);
}

/** OOM kills of the whole machine since its boot. */
export const hostOomKills = (): number | null => oomKillCount("/proc/vmstat");

const rose = (before: number | null, after: number | null): boolean => after !== null && after > (before ?? 0);
