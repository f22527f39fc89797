import { directLauncher } from "./command-host.ts";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Test } from "tap";
import { toolsMemoryMb } from "../../src/contract/engine/tools-memory.ts";
import { DiskQuota } from "../../src/sandbox/disk/disk-quota.ts";
import { readDiskSpace } from "../../src/sandbox/disk/disk-space.ts";
import { LimitedLauncher } from "../../src/sandbox/programs/limited-launcher.ts";
import { measureDisk } from "../../src/sandbox/disk/measure-disk.ts";
import type { ProgramLauncher } from "../../src/sandbox/programs/program-launcher.ts";
import type { CgroupHierarchy } from "../../src/sandbox/cgroups/cgroup-hierarchies.ts";
import { TOOLS_CGROUP, findEngineHierarchies } from "../../src/orchestrator/fleet/process/engine-cgroups.ts";
import { engineLimits, toolLimits } from "../../src/orchestrator/fleet/process/engine-limits.ts";
import { DelegatedCgroup } from "../../src/sandbox/cgroups/delegated-cgroup.ts";
import { sandboxHost } from "../../src/engine/isolation/sandbox-host.ts";
import { silent } from "./fleet.ts";

/** What every bomb of a test stays below, whatever the limits under test. */
export const BOUNDS = { maxProcesses: 250, memoryMb: 512, cpuWeight: 100 };

/** The hierarchies in which this machine lets a test limit processes and memory. Null where it does not. */
export function boundedHierarchies(): readonly CgroupHierarchy[] | null {
  const found = findEngineHierarchies();
  const controllers = found.flatMap((one) => one.controllers);
  return controllers.includes("pids") && controllers.includes("memory") ? found : null;
}

/** A cgroup as of an engine, which the test removes. */
export function engineCgroup(t: Test, hierarchies: readonly CgroupHierarchy[], limits = BOUNDS): DelegatedCgroup {
  const cgroup = new DelegatedCgroup(hierarchies, { name: `orchd-test-${randomUUID()}`, nested: TOOLS_CGROUP });
  t.teardown(async () => {
    cgroup.kill();
    while (!cgroup.remove()) await new Promise((resolve) => setTimeout(resolve, 10));
  });
  cgroup.create({ all: engineLimits(limits), nested: toolLimits(limits) }, null);
  return cgroup;
}

export interface LimitsOfTest {
  readonly cgroupFolders: readonly string[];
  readonly maxProcesses?: number;
  readonly memoryMb?: number;
  readonly diskMb?: number;
  readonly reserveMegabytes?: number;
  readonly userTasks?: number;
  /** Default: one that confines nothing. */
  readonly launcher?: ProgramLauncher;
}

/** Starts programs within limits. `folder` is the engine's, whose disk usage counts. */
export function limitedLauncher(
  folder: string,
  {
    cgroupFolders,
    maxProcesses = 256,
    memoryMb = 512,
    diskMb = 1024,
    reserveMegabytes = 0,
    userTasks,
    launcher: unlimited = directLauncher(),
  }: LimitsOfTest,
): { launcher: LimitedLauncher; disk: DiskQuota } {
  const disk = new DiskQuota({
    megabytes: diskMb,
    reserveMegabytes,
    measure: (options) => measureDisk(folder, launcher.diskWatch.pids(), options),
    space: () => readDiskSpace(folder),
    logger: silent,
  });
  const launcher = new LimitedLauncher({
    launcher: unlimited,
    limits: { maxProcesses, memoryMb: toolsMemoryMb(memoryMb) },
    cgroupFolders,
    disk,
    ...(userTasks !== undefined && { userTasks }),
    signalsOwnAlone: false,
    host: sandboxHost(silent),
  });
  return { launcher, disk };
}

/** The command of a shell that enters a bounded cgroup itself: for limits under test that are not the kernel's. */
export const withinBounds = (cgroup: DelegatedCgroup, script: string): string =>
  `${cgroup
    .nestedFolders()
    .map((folder) => `echo 0 > ${join(folder, "cgroup.procs")}`)
    .join(" && ")} && ${script}`;
