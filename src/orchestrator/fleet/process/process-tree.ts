import { dirname } from "node:path";
import {
  mayBeInherited,
  sendSignal,
  withDescendants,
  type ProcessIdentity,
  type ProcessStat,
  isAlive,
  listProcesses,
  readUser,
} from "../../../sandbox/processes.ts";
import type { DelegatedCgroup } from "../../../sandbox/cgroups.ts";
import type { EngineCgroups } from "./engine-cgroups.ts";
import { engineUser } from "../isolation/owner.ts";
import { incarnationOf } from "./launch-file.ts";
import { LaunchSearch } from "./launch-search.ts";

/**
 * The processes of one incarnation. A process is a member when
 * 1. it is the root, or was a member in an earlier scan;
 * 2. it is in the root's process group or session: the kernel does not reuse their id while they have members, so this
 *    holds until the group was empty once, or another process has the root's pid;
 * 3. it is in the cgroup of this incarnation, if there is one;
 * 4. it runs as the engine's own user, or, where others share the user, its environment names the launch file of this
 *    incarnation (double-forked, in its own session);
 * 5. its parent is a member.
 */
export class ProcessTree {
  /** Null when it is not recorded. Then only the launch file identifies members. */
  readonly root: ProcessIdentity | null;
  readonly #launchFile: string;
  readonly #cgroup: DelegatedCgroup | null;
  /** Null when the engine runs as the daemon's user. */
  readonly #uid: number | null;
  readonly #cgroups: EngineCgroups | null;
  readonly #known = new Map<number, ProcessIdentity>();
  #groupIsOurs = true;

  constructor({
    root,
    launchFile,
    cgroup = null,
    cgroups = null,
    uid = null,
  }: {
    readonly root: ProcessIdentity | null;
    readonly launchFile: string;
    readonly cgroup?: DelegatedCgroup | null;
    /** Of all engines: a process in another's is no member. */
    readonly cgroups?: EngineCgroups | null;
    readonly uid?: number | null;
  }) {
    this.root = root;
    this.#uid = uid;
    this.#launchFile = launchFile;
    this.#cgroup = cgroup;
    this.#cgroups = cgroups;
    if (root !== null) this.#known.set(root.pid, root);
  }

  /** Scans every process of the machine. Returns and remembers the running members. */
  scan(): readonly ProcessStat[] {
    const processes = listProcesses();
    const members = withDescendants(this.#knownMembers(processes), processes).filter(notOurselves(processes));
    if (!members.some((member) => this.#inGroup(member))) this.#groupIsOurs = false;
    this.#known.clear();
    for (const member of members) this.#known.set(member.pid, member);
    return members;
  }

  /** Whether any member of the last scan is still running. Cheaper than a scan. */
  anyKnownAlive(): boolean {
    return [...this.#known.values()].some(isAlive);
  }

  /** Signals the remaining members. SIGKILL also goes to the whole cgroup and group, so that no fork escapes it. */
  signal(members: readonly ProcessStat[], signal: "SIGTERM" | "SIGKILL"): void {
    if (signal === "SIGKILL") this.#cgroup?.kill();
    for (const member of members) {
      // I3 identity before signal: the start time must still match.
      if (!isAlive(member)) continue;
      if (signal === "SIGKILL" && member.group === this.root?.pid) sendSignal(-member.group, signal);
      else sendSignal(member.pid, signal);
    }
  }

  /** Removes the cgroup of an ended tree. False, after another SIGKILL, while it has members. */
  removeCgroup(): boolean {
    if (this.#cgroup === null || this.#cgroup.remove()) return true;
    if (this.#cgroup.pids().length > 0) this.#cgroup.kill();
    return false;
  }

  #knownMembers(processes: readonly ProcessStat[]): ProcessStat[] {
    const { root } = this;
    const pidIsReused = processes.some(({ pid, startTime }) => pid === root?.pid && startTime !== root.startTime);
    if (pidIsReused) this.#groupIsOurs = false;
    const isInherited = root === null ? () => true : mayBeInherited(processes, root);
    const inside = new Set(this.#cgroup?.pids());
    const isOfIncarnation = this.#incarnationTest(processes);
    return processes.filter(
      (one) =>
        inside.has(one.pid) ||
        this.#known.get(one.pid)?.startTime === one.startTime ||
        (this.#groupIsOurs && this.#inGroup(one)) ||
        (isInherited(one) && isOfIncarnation(one)),
    );
  }

  #inGroup({ group, session }: ProcessStat): boolean {
    return group === this.root?.pid || session === this.root?.pid;
  }

  #incarnationTest(processes: readonly ProcessStat[]): (one: ProcessStat) => boolean {
    const young = processes.filter(({ startTime }) => Number(startTime) >= Number(this.root?.startTime ?? 0));
    const pids = new Set(young.map(({ pid }) => pid));
    const user = engineUser(this.#uid).uid;
    const isUsers = ({ pid }: ProcessStat) => pids.has(pid) && readUser(pid) === user;
    if (this.#uid !== null) return isUsers;
    const runDir = dirname(this.#launchFile);
    const incarnation = incarnationOf(runDir, this.#launchFile);
    const members = this.#cgroups?.members();
    const mayRead = (one: ProcessStat) => members?.has(one.pid) !== true && isUsers(one);
    const search = new LaunchSearch({ runDir, processes: young, mayRead });
    return (one) => incarnation !== null && pids.has(one.pid) && search.incarnationOf(one) === incarnation;
  }
}

/** The daemon and its own process group are never members. */
function notOurselves(processes: readonly ProcessStat[]): (member: ProcessStat) => boolean {
  const own = processes.find(({ pid }) => pid === process.pid);
  return ({ pid, group }) => pid > 1 && pid !== process.pid && group !== own?.group;
}
