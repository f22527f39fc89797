import type { Incarnation, Orphan } from "../engine-backend.ts";
import type { EngineCgroups } from "./engine-cgroups.ts";
import { engineUser } from "../isolation/owner.ts";
import { LaunchSearch } from "./launch-search.ts";
import {
  type ProcessIdentity,
  type ProcessStat,
  listProcesses,
  ownerOf,
  readUser,
} from "../../../sandbox/processes.ts";

interface SearchedFolders {
  readonly runDir: string;
  readonly cgroups: EngineCgroups | null;
}

/**
 * Processes that were started with a launch file of this run folder or are members of one of its cgroups, grouped by
 * incarnation, except those of known incarnations and of their own users.
 */
export function findOrphans(
  { runDir, cgroups }: SearchedFolders,
  known: readonly Pick<Incarnation, "id" | "uid">[],
): readonly Orphan[] {
  const uids = new Set<number | null>(known.map(({ uid }) => uid).filter((uid) => uid !== null));
  const members = cgroups?.members() ?? new Map<number, string>();
  const processes = listProcesses();
  const isTheirs = (pid: number) => uids.size > 0 && uids.has(ownerOf(pid));
  const mayRead = ({ pid }: ProcessStat) => !members.has(pid) && !isTheirs(pid);
  const search = new LaunchSearch({ runDir, processes, mayRead });
  const found = new Map<string, number[]>();
  for (const one of processes) {
    const id = members.get(one.pid) ?? search.incarnationOf(one);
    if (id === null || one.pid === process.pid) continue;
    found.set(id, [...(found.get(id) ?? []), one.pid]);
  }
  for (const { id } of known) found.delete(id);
  return [...found].map(([incarnation, pids]) => ({ incarnation, pids, fix: fixOf(pids) }));
}

const fixOf = (pids: readonly number[]): string =>
  `ps -o pid,user,args -p ${pids.join(",")} shows them; kill ${pids.join(" ")} ends them`;

/** The root process of an incarnation: the oldest session leader in its cgroup, or with its launch file. Null when gone. */
export function findRoot({ runDir, cgroups }: SearchedFolders, { id, uid }: Incarnation): ProcessIdentity | null {
  const members = cgroups?.members() ?? new Map<number, string>();
  const user = engineUser(uid).uid;
  const mayRead = ({ pid }: ProcessStat) => !members.has(pid) && readUser(pid) === user;
  const processes = listProcesses();
  const search = new LaunchSearch({ runDir, processes, mayRead });
  const leaders = processes
    .filter(({ pid, session }) => pid === session)
    .toSorted((left, right) => Number(left.startTime) - Number(right.startTime));
  return leaders.find((one) => (members.get(one.pid) ?? search.incarnationOf(one)) === id) ?? null;
}
