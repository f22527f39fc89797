import { performance } from "node:perf_hooks";
import { incarnationOf, launchFileOf } from "./launch-file.ts";
import type { ProcessStat } from "../../../sandbox/processes.ts";

/**
 * After this, one search reads no further environment. The kernel lets the reader wait while a process forks, so those of
 * a fork bomb take seconds. What is not read belongs to nobody in this search; a later one reads it.
 */
const READ_MS = 1000;

/**
 * Finds the incarnation of processes by the launch file in their environment, with as few reads as possible: a child of a
 * member is a member, and so is a process whose session's leader is one.
 */
export class LaunchSearch {
  readonly #runDir: string;
  readonly #byPid: ReadonlyMap<number, ProcessStat>;
  readonly #mayRead: (one: ProcessStat) => boolean;
  readonly #launchFileOf: (pid: number) => string | null;
  readonly #found = new Map<number, string | null>();
  #leftMs = READ_MS;

  constructor({
    runDir,
    processes,
    mayRead,
    read = launchFileOf,
  }: {
    readonly runDir: string;
    readonly processes: readonly ProcessStat[];
    /** False for a process that is identified otherwise. */
    readonly mayRead: (one: ProcessStat) => boolean;
    /** The launch file that a process was started with. */
    readonly read?: (pid: number) => string | null;
  }) {
    this.#runDir = runDir;
    this.#byPid = new Map(processes.map((one) => [one.pid, one]));
    this.#mayRead = mayRead;
    this.#launchFileOf = read;
  }

  /** Null for a process of no incarnation of this run folder. */
  incarnationOf(one: ProcessStat): string | null {
    const unknown: ProcessStat[] = [];
    for (let next: ProcessStat | undefined = one; next !== undefined; next = this.#byPid.get(next.parent)) {
      if (this.#found.has(next.pid)) break;
      // Also ends a cycle, which is possible in a list that changed while it was read.
      this.#found.set(next.pid, null);
      unknown.push(next);
    }
    for (const each of unknown.toReversed()) {
      const found = this.#foundOf(each.parent) ?? this.#ofLeader(each) ?? this.#read(each);
      this.#found.set(each.pid, found);
    }
    return this.#foundOf(one.pid);
  }

  #ofLeader({ pid, session }: ProcessStat): string | null {
    const leader = pid === session ? undefined : this.#byPid.get(session);
    return leader === undefined ? null : this.incarnationOf(leader);
  }

  /** Ignores this daemon, which may itself run below an engine of another daemon. */
  #foundOf(pid: number): string | null {
    return pid === process.pid ? null : (this.#found.get(pid) ?? null);
  }

  #read(one: ProcessStat): string | null {
    if (this.#leftMs <= 0 || !this.#mayRead(one)) return null;
    const start = performance.now();
    const launchFile = this.#launchFileOf(one.pid);
    this.#leftMs -= performance.now() - start;
    return launchFile === null ? null : incarnationOf(this.#runDir, launchFile);
  }
}
