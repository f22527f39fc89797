import { setTimeout as sleep } from "node:timers/promises";
import {
  type ProcessStat,
  isAlive,
  lookAtProcesses,
  maySignal,
  readParent,
  sendSignal,
  startVariable,
  withDescendants,
} from "./process-table.ts";
import { stopAllPrograms } from "./stopped-programs.ts";

/** Environment variable of all processes of a program; its value is unique for the program. */
export const PROGRAM_MARK = "PROGRAM_MARK";
const END_MS = 3000;
const POLL_MS = 10;
/** In which nothing is found, and a process has ended: on a busy machine that happens by chance. */
const MAX_LOOKS = 3;

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

  /**
   * Ends all leftovers. Returns their number; those that are left after three seconds stay. A process that forks and exits
   * every millisecond is in no list, because each one read has ended meanwhile: then all programs stop for one look.
   */
  async endLeftovers(): Promise<number> {
    // Reading every process of the machine takes milliseconds. Without a program there is none to find.
    if (!this.#signalsOwnAlone || !this.#hadPrograms) return 0;
    const found = new Map<number, ProcessStat>();
    const end = performance.now() + END_MS;
    for (let looks = 0, isOver = false; !isOver && performance.now() < end;) {
      const resume = looks < MAX_LOOKS ? null : stopAllPrograms();
      const { running, ended } = lookAtProcesses();
      const some = this.leftovers(running);
      // A stopped process cannot fork. The loop ends what it forked before.
      for (const { pid } of some) sendSignal(pid, "SIGSTOP");
      for (const one of some) {
        found.set(one.pid, one);
        sendSignal(one.pid, "SIGKILL");
      }
      resume?.();
      if (some.length === 0) looks += 1;
      isOver = some.length === 0 && (looks > MAX_LOOKS || !ended.some(mayHaveForked));
      if (some.some(isAlive)) await sleep(POLL_MS);
    }
    return found.size;
  }
}

/** Whether a process that has ended was perhaps a program's, whose parent has ended too. */
function mayHaveForked(pid: number): boolean {
  const parent = readParent(pid);
  return parent === null || (maySignal(pid) && !maySignal(parent));
}

/** The processes that are neither `members` nor their descendants. */
function without(processes: readonly ProcessStat[], members: readonly ProcessStat[]): readonly ProcessStat[] {
  const pids = new Set(withDescendants(members, processes).map(({ pid }) => pid));
  return processes.filter(({ pid }) => !pids.has(pid));
}
