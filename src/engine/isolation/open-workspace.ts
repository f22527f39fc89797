import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { toolsMemoryMb } from "../../contract/engine/tools-memory.ts";
import {
  ConfinedLauncher,
  type ConfinedLauncherOptions,
  type Host,
  DirectLauncher,
  DiskQuota,
  LimitedLauncher,
  measureDisk,
  type ProgramFolders,
  readDiskSpace,
  type ProgramLauncher,
} from "../../sandbox/programs.ts";
import { ProgramNetwork, type ProgramNetworkOptions } from "../../sandbox/proxy.ts";
import { LANDLOCK, landlockAbi } from "../../sandbox/rights.ts";
import type { Logger } from "../../shared/logger.ts";
import { engineFolders } from "./file-rules.ts";
import { programDir } from "./program-dir.ts";
import { openToolNetwork, sandboxHost } from "./sandbox-host.ts";
import { makeToolFolders } from "./tool-folders.ts";

/** Of `user_tasks`, those that only the engine may use: a tool then fails before the engine does. */
const ENGINE_RESERVE = 32;
/** The daemon bounds the log and its rotated parts. */
const LOG = /^engine\.log(\.|$)/;

/** Where the tools of an engine run: their folders, launcher, network and disk quota, which file tools share. */
export interface Workspace {
  readonly folders: ProgramFolders;
  readonly network: ProgramNetwork;
  readonly launcher: LimitedLauncher;
  readonly disk: DiskQuota;
  /** Ends the processes of tools. */
  close(): Promise<void>;
}

export function openWorkspace({
  launch,
  takeOver,
  tunnel,
  outside,
  logger,
}: {
  readonly launch: EngineLaunch;
  readonly logger: Logger;
} & Pick<ProgramNetworkOptions, "takeOver" | "tunnel" | "outside">): Workspace {
  const folders = engineFolders(launch.data_dir);
  makeToolFolders(folders, { logger });
  const network = openToolNetwork({ launch, takeOver, tunnel, outside, logger });
  const host = sandboxHost(logger);
  const launcher = createLauncher(launch, { folders, network: (asked) => network.access(asked), host });
  const limited = limitTools(launch, { launcher, host });
  return {
    folders,
    network,
    ...limited,
    async close() {
      await limited.launcher.close();
      await network.close();
    },
  };
}

/** Confined when the daemon promised the part `tools`, else direct. */
function createLauncher(
  { isolation, extra_ca_certs: certificates, tool_listen: listen }: EngineLaunch,
  options: Pick<ConfinedLauncherOptions, "folders" | "network"> & { readonly host: Host },
): ProgramLauncher {
  if (!isolation.tools) return new DirectLauncher(options.network, options.host);
  // Read now: an upgrade may replace the installed file before the first command.
  const read = (name: string) => readFileSync(join(programDir(), name), "utf8");
  const program = read("engine-launch-worker.cjs");
  const supervisor = isolation.sockets ? read("engine-supervisor-worker.cjs") : null;
  // The environment of tool servers names the certificates.
  const readable = certificates === null ? isolation.read : [...isolation.read, certificates];
  return new ConfinedLauncher({
    ...options,
    readable,
    listen,
    sharedUser: hasSharedUser(options.folders),
    program,
    supervisor,
  });
}

/** The folder of all engines belongs to the daemon's user. */
const hasSharedUser = ({ workspace }: ProgramFolders): boolean =>
  statSync(dirname(dirname(workspace))).uid === process.getuid?.();

/** The limits of an engine's policy: a launcher that enforces them, and the disk quota. */
function limitTools(
  {
    data_dir: folder,
    limits,
    disk_reserve_mb: reserveMegabytes = 0,
    tool_cgroups: cgroupFolders = [],
    user_tasks: userTasks,
    isolation,
  }: EngineLaunch,
  { launcher, host }: { readonly launcher: ProgramLauncher; readonly host: Host },
): Pick<Workspace, "launcher" | "disk"> {
  const disk = new DiskQuota({
    megabytes: limits.disk_mb,
    reserveMegabytes,
    measure: (options) =>
      measureDisk(folder, limited.diskWatch.pids(), { ...options, isCounted: (name) => !LOG.test(name) }),
    space: () => readDiskSpace(folder),
    logger: host.logger,
  });
  const limited = new LimitedLauncher({
    launcher,
    limits: { maxProcesses: limits.max_processes, memoryMb: toolsMemoryMb(limits.memory_mb) },
    cgroupFolders,
    userTasks: userTasks === undefined ? null : userTasks - ENGINE_RESERVE,
    disk,
    signalsOwnAlone: isolation.engine && landlockAbi().abi >= LANDLOCK.scopeAbi,
    host,
  });
  return { launcher: limited, disk };
}
