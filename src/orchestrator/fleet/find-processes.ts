import { LAUNCH_FILE_VARIABLE } from "../../contract/launch-file.ts";
import type { Orphans } from "./engine-backend.ts";
import type { EngineCgroups } from "./engine-cgroups.ts";
import { incarnationOf } from "./launch-file.ts";
import { listProcesses, startVariable, type ProcessIdentity } from "./process-identity.ts";

/**
 * Processes that were started with a launch file of this run folder or are members of one of its cgroups, grouped by
 * incarnation, except the known incarnations.
 */
export function findOrphans(
  { runDir, cgroups }: { readonly runDir: string; readonly cgroups: EngineCgroups | null },
  known: ReadonlySet<string>,
): readonly Orphans[] {
  const orphans = new Map<string, Set<number>>();
  const add = (incarnation: string, pid: number): void => {
    if (known.has(incarnation) || pid === process.pid) return;
    orphans.set(incarnation, (orphans.get(incarnation) ?? new Set()).add(pid));
  };
  for (const { pid } of listProcesses()) {
    const launchFile = startVariable(pid, LAUNCH_FILE_VARIABLE);
    const incarnation = launchFile === null ? null : incarnationOf(runDir, launchFile);
    if (incarnation !== null) add(incarnation, pid);
  }
  for (const incarnation of cgroups?.incarnations() ?? []) {
    for (const pid of cgroups?.find(incarnation)?.pids() ?? []) add(incarnation, pid);
  }
  return [...orphans].map(([incarnation, pids]) => ({ incarnation, pids: [...pids] }));
}

/** The root process of a launch file: the oldest session leader that was started with it. Null when it is gone. */
export function findRoot(launchFile: string): ProcessIdentity | null {
  const leaders = listProcesses()
    .filter(({ pid, session }) => pid === session && startVariable(pid, LAUNCH_FILE_VARIABLE) === launchFile)
    .toSorted((left, right) => Number(left.startTime) - Number(right.startTime));
  return leaders[0] ?? null;
}
