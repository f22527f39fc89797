import type { CgroupLimits } from "../../../sandbox/cgroups.ts";
import { toolsMemoryMb } from "../../../contract/engine/tools-memory.ts";

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
/**
 * The OOM score of engines, above that of the daemon and the database: high enough to prefer a small engine over a large
 * database, low enough to prefer the largest engine.
 */
export const ENGINE_OOM_SCORE = 200;

/** Processes and threads of engine and tools together. Zero: no limit. */
export const allTasks = (maxProcesses: number): number => (maxProcesses > 0 ? maxProcesses + ENGINE_TASKS : 0);

/** The cgroup of engine and tools. */
export const engineLimits = ({ maxProcesses, memoryMb, cpuWeight }: EngineLimits): CgroupLimits => ({
  tasks: allTasks(maxProcesses),
  memoryMb,
  cpuWeight,
});

/** What {@link engineLimits} were made of, but for the CPU. */
export const adoptedLimits = ({ tasks, memoryMb }: CgroupLimits): EngineLimits => ({
  maxProcesses: tasks - ENGINE_TASKS,
  memoryMb,
  cpuWeight: 0,
});

/** The tools' cgroup. No swap: a tool over its memory limit is killed instead of slowing the host. */
export const toolLimits = ({ maxProcesses, memoryMb }: EngineLimits): CgroupLimits => ({
  tasks: maxProcesses,
  memoryMb: toolsMemoryMb(memoryMb),
  maySwap: false,
  cpuWeight: TOOLS_CPU_WEIGHT,
});
