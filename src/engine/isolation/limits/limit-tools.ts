import { statSync } from "node:fs";
import { basename } from "node:path";
import type { EngineLaunch } from "../../../contract/engine-launch.ts";
import { toolsMemoryMb } from "../../../contract/tools-memory.ts";
import { LANDLOCK, landlockAbi } from "../../../shared/linux/landlock.ts";
import type { Logger } from "../../../shared/logger.ts";
import type { ToolLauncher } from "../tool-launcher.ts";
import { DiskQuota } from "./disk-quota.ts";
import { folderUsage } from "./folder-usage.ts";
import { LimitedLauncher } from "./limited-launcher.ts";
import { unlinkedBytes } from "./process-usage.ts";

/** Of `user_tasks`, those that only the engine may use: a tool then fails before the engine does. */
const ENGINE_RESERVE = 32;
/** The daemon bounds the log and its rotated parts. */
const LOG = /^engine\.log(\.|$)/;

/** The limits of an engine's policy: a launcher that enforces them, and the disk quota, shared with file tools. */
export function limitTools({
  launch: { data_dir: folder, limits, tool_cgroups: cgroupFolders = [], user_tasks: userTasks, isolation },
  launcher,
  logger,
}: {
  readonly launch: Pick<EngineLaunch, "data_dir" | "limits" | "tool_cgroups" | "user_tasks" | "isolation">;
  readonly launcher: ToolLauncher;
  readonly logger: Logger;
}): { readonly launcher: LimitedLauncher; readonly disk: DiskQuota } {
  const { dev } = statSync(folder);
  const disk = new DiskQuota({
    megabytes: limits.disk_mb,
    measure: async () => {
      const { bytes, largest } = await folderUsage(folder, (path) => !LOG.test(basename(path)));
      return { bytes: bytes + unlinkedBytes(limited.watch.pids(), dev), largest };
    },
    logger,
  });
  const limited = new LimitedLauncher({
    launcher,
    limits: { maxProcesses: limits.max_processes, memoryMb: toolsMemoryMb(limits.memory_mb) },
    cgroupFolders,
    userTasks: userTasks === undefined ? null : userTasks - ENGINE_RESERVE,
    disk,
    signalsOwnAlone: isolation.engine && landlockAbi().abi >= LANDLOCK.scopeAbi,
    logger,
  });
  return { launcher: limited, disk };
}
