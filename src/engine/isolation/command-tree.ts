import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import {
  type ProcessIdentity,
  type ProcessStat,
  isAlive,
  isUnreadable,
  listProcesses,
  mayBeInherited,
  readStat,
  sendSignal,
  startVariable,
  withDescendants,
} from "../../shared/processes.ts";

/** Environment variable of all processes of a call; its value is unique for the call. */
export const CALL_MARK = "TOOL_CALL_MARK";
const TERM_MS = 500;
const KILL_MS = 3000;
const POLL_MS = 10;
/** Rounds of SIGKILL, also after the deadline: a busy machine may use up the time. */
const MIN_ROUNDS = 3;
/** More processes than this get SIGKILL without SIGTERM: a fork bomb would use the grace period to fork. */
const MANY = 100;

/** The cgroup of one call. The kernel knows all its members and ends them together. */
export interface CallCgroup {
  pids(): readonly number[];
  /** Sends SIGKILL to all members. */
  kill(): void;
}

/**
 * The processes of one call. With a cgroup they are its members. Otherwise they are those in the group or session of its
 * first process, those with its mark in their environment (daemonized ones), and their descendants. Where the kernel lets
 * the engine signal its own tools alone, those that hide their environment are found too, though not of which call.
 */
export class CommandTree {
  readonly #root: ProcessIdentity;
  readonly #mark: string;
  readonly #cgroup: CallCgroup | null;
  readonly #signalsOwnAlone: boolean;
  #known: readonly ProcessStat[] = [];
  #groupIsOurs = true;

  constructor(
    root: ProcessIdentity,
    mark: string,
    {
      cgroup = null,
      signalsOwnAlone = false,
    }: { readonly cgroup?: CallCgroup | null; readonly signalsOwnAlone?: boolean } = {},
  ) {
    this.#root = root;
    this.#mark = mark;
    this.#cgroup = cgroup;
    this.#signalsOwnAlone = signalsOwnAlone;
  }

  /** The pids of its processes now. */
  pids(): readonly number[] {
    return this.#find().map(({ pid }) => pid);
  }

  /** Ends the remaining processes with TERM, then KILL after half a second; returns their number. */
  async end(): Promise<number> {
    if (process.platform !== "linux") {
      // Without /proc, processes outside the group cannot be found.
      sendSignal(-this.#root.pid, "SIGKILL");
      return 0;
    }
    const left = this.#find();
    if (left.length === 0) return 0;
    if (left.length <= MANY) {
      for (const { pid } of left) {
        sendSignal(pid, "SIGTERM");
        sendSignal(pid, "SIGCONT");
      }
      await this.#waitUntilGone(TERM_MS);
    }
    const end = Date.now() + KILL_MS;
    for (let round = 0; this.#find().length > 0 && (round < MIN_ROUNDS || Date.now() < end); round++) {
      if (this.#cgroup === null) await this.#killWithoutCgroup();
      else this.#cgroup.kill();
      await this.#waitUntilGone(POLL_MS);
    }
    return left.length;
  }

  /**
   * Stops all processes until a search finds no new one, and only then kills them: a stopped process cannot fork, none
   * takes the place of one that ended, and no child loses the parent by which it is found. A signal to a group reaches a
   * child that is being forked too.
   */
  async #killWithoutCgroup(): Promise<void> {
    if (this.#groupIsOurs) sendSignal(-this.#root.pid, "SIGSTOP");
    this.#find();
    const stopped = new Set<number>();
    const end = Date.now() + KILL_MS;
    for (let fresh = this.#known; fresh.length > 0 && Date.now() < end;) {
      for (const { pid } of fresh) {
        stopped.add(pid);
        sendSignal(pid, "SIGSTOP");
      }
      await setImmediate();
      fresh = this.#find().filter(({ pid }) => !stopped.has(pid));
    }
    // Groups of its sessions have members of its own only.
    const groups = new Set(this.#known.map(({ group }) => group));
    for (const group of groups) if (this.#isOwnGroup(group)) sendSignal(-group, "SIGKILL");
    for (const { pid } of this.#known) sendSignal(pid, "SIGKILL");
  }

  #isOwnGroup(group: number): boolean {
    if (group === this.#root.pid) return this.#groupIsOurs;
    return this.#known.some(({ pid }) => pid === group);
  }

  async #waitUntilGone(withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    while (this.#known.some(isAlive) && Date.now() < end) await sleep(POLL_MS);
  }

  #find(): readonly ProcessStat[] {
    this.#known = this.#cgroup === null ? this.#search() : this.#members(this.#cgroup);
    return this.#known;
  }

  #members(cgroup: CallCgroup): readonly ProcessStat[] {
    return cgroup
      .pids()
      .filter((pid) => pid !== process.pid)
      .map(readStat)
      .filter((stat) => stat !== null);
  }

  /** A child of the engine itself is the first of its own call. */
  #isHidden({ pid, parent }: ProcessStat): boolean {
    return this.#signalsOwnAlone && parent !== process.pid && isUnreadable(pid);
  }

  #search(): readonly ProcessStat[] {
    const { pid: root, startTime } = this.#root;
    const processes = listProcesses().filter(
      (one) => one.pid !== process.pid && Number(one.startTime) >= Number(startTime),
    );
    const inGroup = ({ group, session }: ProcessStat) => group === root || session === root;
    // A group id is reused only after the group is empty.
    this.#groupIsOurs &&= processes.some(inGroup);
    const known = new Map(this.#known.map(({ pid, startTime: since }) => [pid, since]));
    const isInherited = mayBeInherited(processes, this.#root);
    const direct = processes.filter(
      (one) =>
        (this.#groupIsOurs && inGroup(one)) ||
        known.get(one.pid) === one.startTime ||
        (isInherited(one) && (startVariable(one.pid, CALL_MARK) === this.#mark || this.#isHidden(one))),
    );
    return withDescendants(direct, processes);
  }
}
