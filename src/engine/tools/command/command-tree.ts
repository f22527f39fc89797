import { setTimeout as sleep } from "node:timers/promises";
import {
  type ProcessIdentity,
  type ProcessStat,
  isAlive,
  listProcesses,
  sendSignal,
  startVariable,
  withDescendants,
} from "../../../shared/processes.ts";

/** Environment variable of all processes of a call; its value is unique for the call. */
export const CALL_MARK = "TOOL_CALL_MARK";
const TERM_MS = 500;
const KILL_MS = 3000;
const POLL_MS = 20;

/**
 * The processes of one call: those in the group or session of its first process, those with its mark in their
 * environment (daemonized ones), and their descendants.
 */
export class CommandTree {
  readonly #root: ProcessIdentity;
  readonly #mark: string;
  #known: readonly ProcessStat[] = [];
  #groupIsOurs = true;

  constructor(root: ProcessIdentity, mark: string) {
    this.#root = root;
    this.#mark = mark;
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
    for (const { pid } of left) {
      sendSignal(pid, "SIGTERM");
      sendSignal(pid, "SIGCONT");
    }
    await this.#waitUntilGone(TERM_MS);
    const end = Date.now() + KILL_MS;
    while (this.#find().length > 0 && Date.now() < end) {
      if (this.#groupIsOurs) sendSignal(-this.#root.pid, "SIGKILL");
      for (const { pid } of this.#known) sendSignal(pid, "SIGKILL");
      await this.#waitUntilGone(POLL_MS);
    }
    return left.length;
  }

  async #waitUntilGone(withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    while (this.#known.some(isAlive) && Date.now() < end) await sleep(POLL_MS);
  }

  #find(): readonly ProcessStat[] {
    const { pid: root, startTime } = this.#root;
    const processes = listProcesses().filter(
      (one) => one.pid !== process.pid && Number(one.startTime) >= Number(startTime),
    );
    const inGroup = ({ group, session }: ProcessStat) => group === root || session === root;
    // A group id is reused only after the group is empty.
    this.#groupIsOurs &&= processes.some(inGroup);
    const direct = processes.filter(
      (one) =>
        (this.#groupIsOurs && inGroup(one)) ||
        this.#known.some(({ pid, startTime: since }) => pid === one.pid && since === one.startTime) ||
        startVariable(one.pid, CALL_MARK) === this.#mark,
    );
    this.#known = withDescendants(direct, processes);
    return this.#known;
  }
}
