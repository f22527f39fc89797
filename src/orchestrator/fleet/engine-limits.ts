import { toolsMemoryMb } from "../../contract/tools-memory.ts";

/** The limits of one engine. Zero or less: no limit. */
export interface EngineLimits {
  /** Processes and threads of its tools together. */
  readonly maxProcesses: number;
  /** MiB of engine and tools together. */
  readonly memoryMb: number;
  /** 1 to 10000, as `cpu.weight` of cgroup v2. 100 is usual. */
  readonly cpuWeight: number;
}

/** The engine's own threads, in addition to `maxProcesses`: tools at their limit do not stop the engine. */
const ENGINE_TASKS = 64;
/** The CPU weight of all tools against the engine's own process. */
const TOOLS_CPU_WEIGHT = 50;
const MIB = 1_048_576;
/** `cpu.shares` of version 1 for a weight of 1, in its range. */
const SHARES_PER_WEIGHT = 10.24;
const SHARES = { min: 2, max: 262_144 };

type Files = Readonly<Record<string, number>>;

/** Processes and threads of engine and tools together. Zero: no limit. */
export const allTasks = (maxProcesses: number): number => (maxProcesses > 0 ? maxProcesses + ENGINE_TASKS : 0);

/** The files of the cgroup of engine and tools, and their values. */
export function engineLimits({ maxProcesses, memoryMb, cpuWeight }: EngineLimits, version: 1 | 2): Files {
  return {
    ...(maxProcesses > 0 && { "pids.max": allTasks(maxProcesses) }),
    ...(memoryMb > 0 && { [version === 2 ? "memory.max" : "memory.limit_in_bytes"]: memoryMb * MIB }),
    ...cpu(cpuWeight, version),
  };
}

/** Reads back what {@link engineLimits} wrote. A missing file or the value `max` means no limit. */
export function limitsOf(read: (file: string) => string | null, version: 1 | 2): EngineLimits {
  const number = (file: string): number => Number.parseInt(read(file) ?? "", 10) || 0;
  return {
    maxProcesses: number("pids.max") - ENGINE_TASKS,
    memoryMb: Math.floor(number(version === 2 ? "memory.max" : "memory.limit_in_bytes") / MIB),
    cpuWeight: 0,
  };
}

/** The files of the tools' cgroup. No swap: a tool over its memory limit is killed instead of slowing the host. */
export function toolLimits({ maxProcesses, memoryMb }: EngineLimits, version: 1 | 2): Files {
  const memory = toolsMemoryMb(memoryMb) * MIB;
  return {
    ...(maxProcesses > 0 && { "pids.max": maxProcesses }),
    ...(memory > 0 &&
      (version === 2
        ? { "memory.max": memory, "memory.swap.max": 0 }
        : { "memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory })),
    ...cpu(TOOLS_CPU_WEIGHT, version),
  };
}

function cpu(weight: number, version: 1 | 2): Files {
  if (weight <= 0) return {};
  if (version === 2) return { "cpu.weight": weight };
  const shares = Math.round(weight * SHARES_PER_WEIGHT);
  return { "cpu.shares": Math.min(SHARES.max, Math.max(SHARES.min, shares)) };
}
