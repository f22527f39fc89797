import type { DiskQuota } from "./disk-quota.ts";
import { usageOf } from "./process-usage.ts";

const MIB = 1_048_576;
/** Without the kernel's limits a fork bomb doubles within milliseconds. */
const FAST_MS = 100;
/** Interval when only the disk is watched. */
const SLOW_MS = 500;
/** At most a twentieth of the time is spent measuring processes. */
const REST_PER_MEASURE = 19;

/** A running command or tool server. */
export interface WatchedProgram {
  /** Its processes, however they were forked. */
  pids(): readonly number[];
  /** See `DiskQuota.ceiling`. */
  readonly diskCeiling: number;
  /** Ends it; the reason is for the model. */
  end(reason: string): void;
}

export interface ToolLimits {
  /** Processes and threads of all tools together. 0: no limit. */
  readonly maxProcesses: number;
  /** MiB of all tools together. 0: no limit. */
  readonly memoryMb: number;
}

/**
 * Watches the programs of tools while there are any, and ends one that exceeds a limit that no cgroup holds. The disk is
 * always watched.
 */
export class ToolWatch {
  readonly #limits: ToolLimits;
  readonly #disk: DiskQuota;
  readonly #programs = new Set<WatchedProgram>();
  #timer: NodeJS.Timeout | undefined;

  /** `limits` without those that the kernel holds. */
  constructor(limits: ToolLimits, disk: DiskQuota) {
    this.#limits = limits;
    this.#disk = disk;
  }

  /** Returns the function that ends the watch. */
  watch(program: WatchedProgram): () => void {
    this.#programs.add(program);
    if (this.#timer === undefined) this.#lookIn(0);
    return () => {
      this.#programs.delete(program);
      if (this.#programs.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  /** All processes of all programs. */
  pids(): readonly number[] {
    return [...this.#programs].flatMap((program) => program.pids());
  }

  get #isFast(): boolean {
    return this.#limits.maxProcesses > 0 || this.#limits.memoryMb > 0;
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => {
      const start = performance.now();
      if (this.#isFast) this.#look();
      const spent = performance.now() - start;
      void this.#lookAtDisk();
      if (this.#programs.size > 0) this.#lookIn(Math.max(this.#isFast ? FAST_MS : SLOW_MS, REST_PER_MEASURE * spent));
    }, ms).unref();
  }

  #look(): void {
    const { maxProcesses, memoryMb } = this.#limits;
    const used = [...this.#programs].map((program) => ({ program, ...usageOf(program.pids()) }));
    const sum = (name: "tasks" | "bytes") => used.reduce((total, one) => total + one[name], 0);
    const largest = (name: "tasks" | "bytes") => used.toSorted((left, right) => right[name] - left[name])[0]?.program;
    if (maxProcesses > 0 && sum("tasks") > maxProcesses)
      largest("tasks")?.end(`it started more than the ${maxProcesses} processes and threads that tools may have`);
    if (memoryMb > 0 && sum("bytes") > memoryMb * MIB) largest("bytes")?.end(memoryReason(memoryMb));
  }

  async #lookAtDisk(): Promise<void> {
    await this.#disk.refresh();
    for (const program of this.#programs) {
      const reason = this.#disk.exceeded(program.diskCeiling);
      if (reason !== null) program.end(reason);
    }
  }
}

const memoryReason = (memoryMb: number): string => `it used more than the ${memoryMb} MB of memory that tools may use`;
