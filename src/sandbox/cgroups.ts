/** `@orchd/sandbox/cgroups`: limits of the kernel, of versions 1 and 2. */
export {
  CGROUP_CONTROLLERS,
  type CgroupController,
  type CgroupHierarchy,
  type CgroupNames,
  assertCreatable,
  enableControllers,
  findCgroupHierarchies,
} from "./cgroups/cgroup-hierarchies.ts";
export type { CgroupLimits } from "./cgroups/cgroup-limits.ts";
export { DelegatedCgroup } from "./cgroups/delegated-cgroup.ts";
export { hastenMoves } from "./cgroups/hasten-moves.ts";
export { type CgroupMemory, type MemoryCgroup, limitOfCgroups, memoryCgroups } from "./cgroups/memory-cgroups.ts";
