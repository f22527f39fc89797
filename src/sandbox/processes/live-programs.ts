import { setTimeout as sleep } from "node:timers/promises";
import {
  type ProcessStat,
  isAlive,
  listProcesses,
  maySignal,
  sendSignal,
  startVariable,
  withDescendants,
} from "./process-table.ts";

/** Environment variable of all processes of a program; its value is unique for the program. */
export const PROGRAM_MARK = "PROGRAM_MARK";
const END_MS = 3000;
const POLL_MS = 10;

/** Tells the processes of one program. */
interface OwnedProcesses {
  /** Whether a process is in its group or session, or was found before. */
  owns(one: ProcessStat): boolean;
}

/**
 * The programs that run, and what earlier ones left behind. Where the kernel lets this process signal its own programs
 * alone, whatever it may signal and belongs to no running program is a leftover, whatever it did to its environment, its
 * session and its parent.
 */
export class LivePrograms {
  readonly #signalsOwnAlone: boolean;
  /** By mark. Null while the program is being started. */
  readonly #running = new Map<string, OwnedProcesses | null>();
  #hadPrograms = false;

  constructor({ signalsOwnAlone }: { readonly signalsOwnAlone: boolean }) {
    this.#signalsOwnAlone = signalsOwnAlone;
  }

  /** Before the program starts, and again with its processes. */
  add(mark: string, program: OwnedProcesses | null): void {
    this.#running.set(mark, program);
    this.#hadPrograms = true;
  }

  remove(mark: string): void {
    this.#running.delete(mark);
  }

  /** Of these processes of the machine. */
  leftovers(processes: readonly ProcessStat[]): readonly ProcessStat[] {
    if (!this.#signalsOwnAlone) return [];
    const running = [...this.#running.values()].filter((program) => program !== null);
    // A child of this process is the first process of a program, perhaps of one that is being started.
    const isFirst = ({ parent }: ProcessStat) => parent === process.pid;
    const known = processes.filter((one) => isFirst(one) || running.some((program) => program.owns(one)));
    const others = without(processes, known).filter(({ pid }) => pid !== process.pid && maySignal(pid));
    const marked = others.filter(({ pid }) => this.#running.has(startVariable(pid, PROGRAM_MARK) ?? ""));
    return without(others, [...known, ...marked]);
  }

  /** Ends all leftovers. Returns their number; those that are left after three seconds stay. */
  async endLeftovers(): Promise<number> {
    // Reading every process of the machine takes milliseconds. Without a program there is none to find.
    if (!this.#signalsOwnAlone || !this.#hadPrograms) return 0;
    const found = new Map<number, ProcessStat>();
    const end = performance.now() + END_MS;
    for (let some = this.leftovers(listProcesses()); some.length > 0; some = this.leftovers(listProcesses())) {
      // A stopped process cannot fork. The loop ends what it forked before.
      for (const { pid } of some) sendSignal(pid, "SIGSTOP");
      for (const one of some) {
        found.set(one.pid, one);
        sendSignal(one.pid, "SIGKILL");
      }
      if (performance.now() >= end) break;
      if (some.some(isAlive)) await sleep(POLL_MS);
    }
    return found.size;
  }
}

/** The processes that are neither `members` nor their descendants. */
function without(processes: readonly ProcessStat[], members: readonly ProcessStat[]): readonly ProcessStat[] {
  const pids = new Set(withDescendants(members, processes).map(({ pid }) => pid));
  return processes.filter(({ pid }) => !pids.has(pid));
}
