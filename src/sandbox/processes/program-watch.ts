import type { Words } from "../host.ts";
import { exactMemoryOf, sharedMemoryOfHost, usageOf } from "./process-usage.ts";

const MIB = 1_048_576;
/** Without the kernel's limits a fork bomb doubles within milliseconds. */
const INTERVAL_MS = 100;
/** At most a twentieth of the time is spent measuring processes. */
const REST_PER_MEASURE = 19;
/** Growth of the host's shared memory below this is noise. */
const NOISE_BYTES = 16 * MIB;

/** A running program. */
export interface WatchedProgram {
  /** Its processes, however they were forked. */
  pids(): readonly number[];
  /** Ends it; the reason is for its user. */
  end(reason: string): void;
}

export interface ProgramLimits {
  /** Processes and threads of all programs together. 0: no limit. */
  readonly maxProcesses: number;
  /** MiB of all programs together. 0: no limit. */
  readonly memoryMb: number;
}

/** Watches programs while there are any, and ends one that exceeds a limit that no cgroup holds. */
export class ProgramWatch {
  /** See `Words`. */
  readonly #called: string;
  readonly #limits: ProgramLimits;
  readonly #programs = new Set<WatchedProgram>();
  #timer: NodeJS.Timeout | undefined;
  /** The host's shared memory at the last exact figure, which alone tells who has it. */
  #sharedThen: number | null = null;
  /** The least since the first program started. */
  #sharedLeast = 0;

  /** `limits` without those that the kernel holds. */
  constructor(limits: ProgramLimits, { programs }: Pick<Words, "programs">) {
    this.#called = programs;
    this.#limits = limits;
  }

  /** Returns the function that ends the watch. */
  watch(program: WatchedProgram): () => void {
    if (this.#programs.size === 0) this.#sharedLeast = sharedMemoryOfHost() ?? 0;
    this.#programs.add(program);
    if (this.#timer === undefined && this.#isNeeded) this.#lookIn(0);
    return () => {
      this.#programs.delete(program);
      if (this.#programs.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  get #isNeeded(): boolean {
    return this.#limits.maxProcesses > 0 || this.#limits.memoryMb > 0;
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => {
      const start = performance.now();
      this.#look();
      const spent = performance.now() - start;
      if (this.#programs.size > 0) this.#lookIn(Math.max(INTERVAL_MS, REST_PER_MEASURE * spent));
    }, ms).unref();
  }

  #look(): void {
    const { maxProcesses, memoryMb } = this.#limits;
    const used = [...this.#programs].map((program) => {
      const pids = program.pids();
      return { program, pids, ...usageOf(pids) };
    });
    const tasks = sumOf(used, (one) => one.tasks);
    if (maxProcesses > 0 && tasks > maxProcesses)
      largestOf(used, (one) => one.tasks)?.program.end(
        `it started more than the ${maxProcesses} processes and threads that ${this.#called} may have`,
      );
    const shared = sharedMemoryOfHost();
    if (
      memoryMb <= 0 ||
      !this.#mayExceed(
        sumOf(used, (one) => one.bytes),
        shared,
      )
    )
      return;
    const growth = shared === null ? Infinity : shared - this.#sharedLeast;
    const exact = used.map(({ program, pids }) => ({ program, bytes: exactMemoryOf(pids, growth) }));
    if (sumOf(exact, (one) => one.bytes) > memoryMb * MIB)
      largestOf(exact, (one) => one.bytes)?.program.end(
        `it used more than the ${memoryMb} MB of memory that ${this.#called} may use`,
      );
  }

  /** Shared memory that no process has mapped is in no process's figures, but in the host's. */
  #mayExceed(bytes: number, shared: number | null): boolean {
    this.#sharedLeast = Math.min(this.#sharedLeast, shared ?? 0);
    const grown = shared === null || this.#sharedThen === null || shared - this.#sharedThen >= NOISE_BYTES;
    const isSuspect = grown || bytes > this.#limits.memoryMb * MIB;
    if (isSuspect || shared < (this.#sharedThen ?? 0)) this.#sharedThen = shared;
    return isSuspect;
  }
}

const sumOf = <T>(all: readonly T[], value: (one: T) => number): number =>
  all.reduce((total, one) => total + value(one), 0);

const largestOf = <T>(all: readonly T[], value: (one: T) => number): T | undefined =>
  all.toSorted((left, right) => value(right) - value(left))[0];
