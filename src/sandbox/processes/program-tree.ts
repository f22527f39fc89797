import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import {
  type ProcessIdentity,
  type ProcessStat,
  isAlive,
  listProcesses,
  mayBeInherited,
  readStat,
  sendSignal,
  startVariable,
  withDescendants,
} from "./process-table.ts";
import { type LivePrograms, PROGRAM_MARK } from "./live-programs.ts";

const TERM_MS = 500;
const KILL_MS = 3000;
const POLL_MS = 10;
/** Rounds of SIGKILL, also after the deadline: a busy machine may use up the time. */
const MIN_ROUNDS = 3;
/** More processes than this get SIGKILL without SIGTERM: a fork bomb would use the grace period to fork. */
const MANY = 100;

/** The cgroup of one program. The kernel knows all its members and ends them together. */
export interface TreeCgroup {
  pids(): readonly number[];
  /** Sends SIGKILL to all members. */
  kill(): void;
}

/**
 * The processes of one program. With a cgroup they are its members. Otherwise they are those in the group or session of its
 * first process, those with its mark in their environment (daemonized ones), and their descendants; and the leftovers of
 * any program, which end with the first program that ends.
 */
export class ProgramTree {
  readonly #root: ProcessIdentity;
  readonly #mark: string;
  readonly #cgroup: TreeCgroup | null;
  readonly #others: LivePrograms | null;
  #known: readonly ProcessStat[] = [];
  /** Of `#known`, without the leftovers of other programs. */
  #own: readonly ProcessStat[] = [];
  #groupIsOurs = true;
  #hasGrace = true;

  constructor(
    root: ProcessIdentity,
    mark: string,
    {
      cgroup = null,
      others = null,
    }: { readonly cgroup?: TreeCgroup | null; readonly others?: LivePrograms | null } = {},
  ) {
    this.#root = root;
    this.#mark = mark;
    this.#cgroup = cgroup;
    this.#others = others;
  }

  /** The pids of its processes now. */
  pids(): readonly number[] {
    return this.#find().map(({ pid }) => pid);
  }

  /** Whether a process is in its group or session, or was found before. */
  owns({ pid, startTime, group, session }: ProcessStat): boolean {
    if (this.#groupIsOurs && (group === this.#root.pid || session === this.#root.pid)) return true;
    return this.#own.some((one) => one.pid === pid && one.startTime === startTime);
  }

  /** From now on {@link end} gives no grace: in it they would go on with what they are ended for. Kills those known. */
  denyGrace(): void {
    this.#hasGrace = false;
    for (const one of this.#known) if (isAlive(one)) sendSignal(one.pid, "SIGKILL");
  }

  /** Stops all its processes until {@link resume}, also those that are being forked. */
  async stop(): Promise<void> {
    this.#find();
    if (this.#cgroup === null && this.#groupIsOurs) sendSignal(-this.#root.pid, "SIGSTOP");
    const stopped = new Set<number>();
    const end = performance.now() + KILL_MS;
    for (let fresh = this.#known; fresh.length > 0 && performance.now() < end;) {
      for (const { pid } of fresh) sendSignal(pid, "SIGSTOP");
      for (const { pid } of fresh) stopped.add(pid);
      await setImmediate();
      fresh = this.#find().filter(({ pid }) => !stopped.has(pid));
    }
  }

  resume = (): void => this.#find().forEach(({ pid }) => sendSignal(pid, "SIGCONT"));

  /** Ends the remaining processes with TERM, then KILL after half a second; returns their number. */
  async end(): Promise<number> {
    if (process.platform !== "linux") {
      // Without /proc, processes outside the group cannot be found.
      sendSignal(-this.#root.pid, "SIGKILL");
      return 0;
    }
    const ended = await this.#endFound();
    if (this.#cgroup !== null || this.#others === null) return ended;
    // What carries its mark belongs to no running program from now on.
    this.#others.remove(this.#mark);
    return ended + (await this.#others.endLeftovers());
  }

  async #endFound(): Promise<number> {
    const left = this.#find();
    if (left.length === 0 && !this.#hasMembers()) return 0;
    if (this.#hasGrace && left.length <= MANY) {
      for (const { pid } of left) {
        sendSignal(pid, "SIGTERM");
        sendSignal(pid, "SIGCONT");
      }
      await this.#waitUntilGone(TERM_MS);
    }
    const end = performance.now() + KILL_MS;
    const hasLeft = () => this.#find().length > 0 || this.#hasMembers();
    for (let round = 0; hasLeft() && (round < MIN_ROUNDS || performance.now() < end); round++) {
      if (this.#cgroup === null) await this.#killWithoutCgroup();
      else this.#cgroup.kill();
      await this.#waitUntilGone(POLL_MS);
    }
    return Math.max(1, left.length);
  }

  /**
   * Stops all processes until a search finds no new one, and only then kills them: a stopped process cannot fork, none
   * takes the place of one that ended, and no child loses the parent by which it is found. A signal to a group reaches a
   * child that is being forked too.
   */
  async #killWithoutCgroup(): Promise<void> {
    await this.stop();
    // Groups of its sessions have members of its own only.
    const groups = new Set(this.#known.map(({ group }) => group));
    for (const group of groups) if (this.#isOwnGroup(group)) sendSignal(-group, "SIGKILL");
    for (const { pid } of this.#known) sendSignal(pid, "SIGKILL");
  }

  #isOwnGroup(group: number): boolean {
    return group === this.#root.pid ? this.#groupIsOurs : this.#known.some(({ pid }) => pid === group);
  }

  async #waitUntilGone(withinMs: number): Promise<void> {
    const end = performance.now() + withinMs;
    while (this.#known.some(isAlive) && performance.now() < end) await sleep(POLL_MS);
  }

  #find(): readonly ProcessStat[] {
    this.#known = this.#cgroup === null ? this.#search() : this.#members(this.#cgroup);
    return this.#known;
  }

  #members(cgroup: TreeCgroup): readonly ProcessStat[] {
    return cgroup
      .pids()
      .filter((pid) => pid !== process.pid)
      .map(readStat)
      .filter((stat) => stat !== null);
  }

  /** Also of processes that each fork another and exit: each one found is gone before it is read. */
  #hasMembers(): boolean {
    return this.#cgroup?.pids().some((pid) => pid !== process.pid) ?? false;
  }

  #search(): readonly ProcessStat[] {
    const { pid: root, startTime } = this.#root;
    const all = listProcesses();
    const processes = all.filter((one) => one.pid !== process.pid && Number(one.startTime) >= Number(startTime));
    const inGroup = ({ group, session }: ProcessStat) => group === root || session === root;
    // A group id is reused only after the group is empty.
    this.#groupIsOurs &&= processes.some(inGroup);
    const known = new Map(this.#own.map(({ pid, startTime: since }) => [pid, since]));
    const isInherited = mayBeInherited(processes, this.#root);
    const direct = processes.filter(
      (one) =>
        (this.#groupIsOurs && inGroup(one)) ||
        known.get(one.pid) === one.startTime ||
        (isInherited(one) && startVariable(one.pid, PROGRAM_MARK) === this.#mark),
    );
    this.#own = withDescendants(direct, processes);
    const pids = new Set(this.#own.map(({ pid }) => pid));
    const leftovers = this.#others?.leftovers(all).filter(({ pid }) => !pids.has(pid)) ?? [];
    return [...this.#own, ...leftovers];
  }
}
