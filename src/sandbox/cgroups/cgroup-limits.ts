import type { CgroupFolder } from "./cgroup-folder.ts";

/** The limits of one cgroup. Zero or less: no limit. */
export interface CgroupLimits {
  /** Processes and threads. */
  readonly tasks: number;
  readonly memoryMb: number;
  /** False: a process over the memory limit is killed instead of slowing the host. Default: true. */
  readonly maySwap?: boolean;
  /** 1 to 10000, as `cpu.weight` of version 2. 100 is usual. */
  readonly cpuWeight: number;
}

const MIB = 1_048_576;
/** `cpu.shares` of version 1 for a weight of 1, in its range. */
const SHARES_PER_WEIGHT = 10.24;
const SHARES = { min: 2, max: 262_144 };

type Files = Readonly<Record<string, number>>;

/** The files of a cgroup and their values, by the version of its hierarchy. */
export function limitFiles({ tasks, memoryMb, maySwap = true, cpuWeight }: CgroupLimits, version: 1 | 2): Files {
  return {
    ...(tasks > 0 && { "pids.max": tasks }),
    ...(memoryMb > 0 && memory(memoryMb * MIB, { maySwap, version })),
    ...(cpuWeight > 0 && cpu(cpuWeight, version)),
  };
}

/** Reads back what {@link limitFiles} named, but for the CPU. A missing file or the value `max` means no limit. */
export function readLimits(folder: Pick<CgroupFolder, "read">, version: 1 | 2): CgroupLimits {
  const number = (file: string): number => Number.parseInt(folder.read(file) ?? "", 10) || 0;
  const bytes = number(version === 2 ? "memory.max" : "memory.limit_in_bytes");
  return { tasks: number("pids.max"), memoryMb: Math.floor(bytes / MIB), cpuWeight: 0 };
}

function memory(bytes: number, { maySwap, version }: { readonly maySwap: boolean; readonly version: 1 | 2 }): Files {
  if (version === 2) return { "memory.max": bytes, ...(!maySwap && { "memory.swap.max": 0 }) };
  return { "memory.limit_in_bytes": bytes, ...(!maySwap && { "memory.memsw.limit_in_bytes": bytes }) };
}

function cpu(weight: number, version: 1 | 2): Files {
  if (version === 2) return { "cpu.weight": weight };
  const shares = Math.round(weight * SHARES_PER_WEIGHT);
  return { "cpu.shares": Math.min(SHARES.max, Math.max(SHARES.min, shares)) };
}
