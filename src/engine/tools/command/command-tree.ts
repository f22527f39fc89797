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

/** In the environment of everything a call starts, with a value of that call's own. */
export const CALL_MARK = "TOOL_CALL_MARK";
const TERM_MS = 500;
const KILL_MS = 3000;
const LOOK_EVERY_MS = 20;

/**
 * The processes of one call: those in the group and session of its first, those born with its mark (forked twice, in
 * a session of their own), and what descends from them.
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

  /** Ends all that is left and gives how many that were: TERM, half a second, then KILL until nobody is seen. */
  async end(): Promise<number> {
    if (process.platform !== "linux") {
      // Without /proc nobody can be found who left the group.
      sendSignal(-this.#root.pid, "SIGKILL");
      return 0;
    }
    const left = this.#look();
    if (left.length === 0) return 0;
    for (const { pid } of left) {
      sendSignal(pid, "SIGTERM");
      sendSignal(pid, "SIGCONT");
    }
    await this.#gone(TERM_MS);
    const end = Date.now() + KILL_MS;
    while (this.#look().length > 0 && Date.now() < end) {
      if (this.#groupIsOurs) sendSignal(-this.#root.pid, "SIGKILL");
      for (const { pid } of this.#known) sendSignal(pid, "SIGKILL");
      await this.#gone(LOOK_EVERY_MS);
    }
    return left.length;
  }

  async #gone(withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    while (this.#known.some(isAlive) && Date.now() < end) await sleep(LOOK_EVERY_MS);
  }

  #look(): readonly ProcessStat[] {
    const { pid: root, startTime } = this.#root;
    const processes = listProcesses().filter(
      (one) => one.pid !== process.pid && Number(one.startTime) >= Number(startTime),
    );
    const inGroup = ({ group, session }: ProcessStat) => group === root || session === root;
    // The kernel gives the number to nobody else while somebody has it, and to anybody afterwards.
    this.#groupIsOurs &&= processes.some(inGroup);
    const evident = processes.filter(
      (one) =>
        (this.#groupIsOurs && inGroup(one)) ||
        this.#known.some(({ pid, startTime: since }) => pid === one.pid && since === one.startTime) ||
        startVariable(one.pid, CALL_MARK) === this.#mark,
    );
    this.#known = withDescendants(evident, processes);
    return this.#known;
  }
}
