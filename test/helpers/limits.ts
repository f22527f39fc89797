import { directLauncher } from "./command-host.ts";
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { toolsMemoryMb } from "../../src/contract/tools-memory.ts";
import { DiskQuota } from "../../src/engine/isolation/limits/disk-quota.ts";
import { folderUsage } from "../../src/engine/isolation/limits/folder-usage.ts";
import { LimitedLauncher } from "../../src/engine/isolation/limits/limited-launcher.ts";
import { unlinkedBytes } from "../../src/engine/isolation/limits/process-usage.ts";
import type { ToolLauncher } from "../../src/engine/isolation/tool-launcher.ts";
import { type CgroupHierarchy, findCgroupHierarchies } from "../../src/orchestrator/fleet/cgroup-hierarchies.ts";
import { EngineCgroup } from "../../src/orchestrator/fleet/engine-cgroup.ts";
import { silent } from "./fleet.ts";

/** What every bomb of a test stays below, whatever the limits under test. */
export const BOUNDS = { maxProcesses: 250, memoryMb: 512, cpuWeight: 100 };

/** The hierarchies in which this machine lets a test limit processes and memory. Null where it does not. */
export function boundedHierarchies(): readonly CgroupHierarchy[] | null {
  const found = findCgroupHierarchies();
  const controllers = found.flatMap((one) => one.controllers);
  return controllers.includes("pids") && controllers.includes("memory") ? found : null;
}

/** A cgroup as of an engine, which the test removes. */
export function engineCgroup(t: Test, hierarchies: readonly CgroupHierarchy[], limits = BOUNDS): EngineCgroup {
  const cgroup = new EngineCgroup(hierarchies, `orchd-test-${randomUUID()}`);
  t.teardown(async () => {
    cgroup.kill();
    while (!cgroup.remove()) await new Promise((resolve) => setTimeout(resolve, 10));
  });
  cgroup.create(limits, null);
  return cgroup;
}

export interface LimitsOfTest {
  readonly cgroupFolders: readonly string[];
  readonly maxProcesses?: number;
  readonly memoryMb?: number;
  readonly diskMb?: number;
  readonly userTasks?: number;
  /** Default: one that confines nothing. */
  readonly launcher?: ToolLauncher;
}

/** Starts programs within limits. `folder` is the engine's, whose disk usage counts. */
export function limitedLauncher(
  folder: string,
  {
    cgroupFolders,
    maxProcesses = 256,
    memoryMb = 512,
    diskMb = 1024,
    userTasks,
    launcher: unlimited = directLauncher(),
  }: LimitsOfTest,
): { launcher: LimitedLauncher; disk: DiskQuota } {
  const disk = new DiskQuota({
    megabytes: diskMb,
    measure: async () => {
      const { bytes, largest } = await folderUsage(folder);
      return { bytes: bytes + unlinkedBytes(launcher.watch.pids(), statSync(folder).dev), largest };
    },
    logger: silent,
  });
  const launcher = new LimitedLauncher({
    launcher: unlimited,
    limits: { maxProcesses, memoryMb: toolsMemoryMb(memoryMb) },
    cgroupFolders,
    disk,
    ...(userTasks !== undefined && { userTasks }),
    signalsOwnAlone: false,
    logger: silent,
  });
  return { launcher, disk };
}

/** The command of a shell that enters a bounded cgroup itself: for limits under test that are not the kernel's. */
export const withinBounds = (cgroup: EngineCgroup, script: string): string =>
  `${cgroup
    .toolFolders()
    .map((folder) => `echo 0 > ${join(folder, "cgroup.procs")}`)
    .join(" && ")} && ${script}`;
