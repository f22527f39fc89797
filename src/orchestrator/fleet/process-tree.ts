import { LAUNCH_FILE_VARIABLE } from "../../contract/engine-launch.ts";
import { sendSignal, withDescendants } from "../../shared/processes.ts";
import type { EngineCgroup } from "./engine-cgroup.ts";
import { type ProcessIdentity, type ProcessStat, isAlive, listProcesses, startVariable } from "./process-identity.ts";

/**
 * The processes of one life of an engine. A process belongs to it when
 * 1. it is the root, or was seen to belong before;
 * 2. it is in the group or session the root was started in: the kernel gives their number to nobody else while they
 *    have members, so this holds until the group was once seen empty, or a stranger is seen with the root's pid;
 * 3. it is in the cgroup of this life, where that has one;
 * 4. it was born with the launch file of this life in its environment (double-forked, in a session of its own);
 * 5. its parent belongs.
 */
export class ProcessTree {
  /** `null` when nobody remembers it; then only the launch file tells. */
  readonly root: ProcessIdentity | null;
  readonly #launchFile: string;
  readonly #cgroup: EngineCgroup | null;
  readonly #known = new Map<number, ProcessIdentity>();
  #groupIsOurs = true;

  constructor(root: ProcessIdentity | null, launchFile: string, cgroup: EngineCgroup | null = null) {
    this.root = root;
    this.#launchFile = launchFile;
    this.#cgroup = cgroup;
    if (root !== null) this.#known.set(root.pid, root);
  }

  /** Looks at every process of the machine; gives the living members and remembers them. */
  scan(): readonly ProcessStat[] {
    const processes = listProcesses();
    const members = withDescendants(this.#evident(processes), processes).filter(notOurselves(processes));
    if (!members.some((member) => this.#inGroup(member))) this.#groupIsOurs = false;
    this.#known.clear();
    for (const member of members) this.#known.set(member.pid, member);
    return members;
  }

  /** Whether any member of the last scan still lives; cheap, to be asked often. */
  anyKnownAlive(): boolean {
    return [...this.#known.values()].some(isAlive);
  }

  /** Signals the members still there. KILL goes to the whole cgroup and group at once too: a fork must not outrun it. */
  signal(members: readonly ProcessStat[], signal: "SIGTERM" | "SIGKILL"): void {
    if (signal === "SIGKILL") this.#cgroup?.kill();
    for (const member of members) {
      if (!isAlive(member)) continue;
      if (signal === "SIGKILL" && member.group === this.root?.pid) sendSignal(-member.group, signal);
      else sendSignal(member.pid, signal);
    }
  }

  /** Removes the cgroup of a tree that has ended; `false`, and another KILL, while somebody is still in it. */
  removeCgroup(): boolean {
    if (this.#cgroup === null || this.#cgroup.remove()) return true;
    if (this.#cgroup.pids().length > 0) this.#cgroup.kill();
    return false;
  }

  #evident(processes: readonly ProcessStat[]): ProcessStat[] {
    const { root } = this;
    const strangerHasPid = processes.some(({ pid, startTime }) => pid === root?.pid && startTime !== root.startTime);
    if (strangerHasPid) this.#groupIsOurs = false;
    const inside = new Set(this.#cgroup?.pids());
    return processes.filter(
      (one) =>
        inside.has(one.pid) ||
        this.#known.get(one.pid)?.startTime === one.startTime ||
        (this.#groupIsOurs && this.#inGroup(one)) ||
        this.#carriesLaunchFile(one),
    );
  }

  #inGroup({ group, session }: ProcessStat): boolean {
    return group === this.root?.pid || session === this.root?.pid;
  }

  #carriesLaunchFile({ pid, startTime }: ProcessStat): boolean {
    if (Number(startTime) < Number(this.root?.startTime ?? 0)) return false;
    return startVariable(pid, LAUNCH_FILE_VARIABLE) === this.#launchFile;
  }
}

/** The daemon and its own group are never part of a tree, whatever the evidence says. */
function notOurselves(processes: readonly ProcessStat[]): (member: ProcessStat) => boolean {
  const own = processes.find(({ pid }) => pid === process.pid);
  return ({ pid, group }) => pid > 1 && pid !== process.pid && group !== own?.group;
}
