import { createHash } from "node:crypto";
import { LAUNCH_FILE_VARIABLE } from "../../../contract/engine/launch-file.ts";
import type { EngineLaunch } from "../../../contract/engine/launch.ts";
import { CATALOGS, DATA_DIR, PORT, containerLaunch, engineLabels } from "../containers/container-launch.ts";
import type { LaunchOrder } from "../engine-backend.ts";
import { allTasks } from "../process/engine-limits.ts";
import type { Owner } from "../../../sandbox/folders.ts";
import { heapOption } from "../process/heap-option.ts";

const CERTIFICATES = "/etc/orchd/ca-certificates.pem";
const MIB = 1_048_576;
/** Docker's default for a weight of 100. */
const SHARES_PER_WEIGHT = 10.24;

export interface ContainerOptions {
  readonly image: string;
  /** The engine's entry point in the image, whose own entry point is Node.js. */
  readonly entry: string;
  /** `runsc` or another runtime of the Docker engine. Null for its default. */
  readonly runtime: string | null;
  /** The id of this deployment. */
  readonly deployment: string;
  /** The address of this machine on which engines can be reached. */
  readonly host: string;
  /** The path of a PEM bundle. */
  readonly extraCaCerts: string | null;
  /** MiB that engines leave free on the disk of the data folder. Omitted: none. */
  readonly diskReserveMb?: number;
}

interface MountedFolders {
  /** Of the engine. */
  readonly folder: string;
  /** With the versions of its product's catalog. Null without a catalog. */
  readonly catalogs: string | null;
}

/** A unique name for each incarnation, since the Docker engine refuses a duplicate. */
export const containerName = (deployment: string, incarnation: string): string =>
  `orchd-${hash(deployment).slice(0, 8)}-${hash(incarnation).slice(0, 24)}`;

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The body of a create call. It contains no secret, since `docker inspect` shows it. */
export function containerSpec(
  { launch, memoryMb, cpuWeight }: LaunchOrder,
  { image, entry, runtime, deployment, host, extraCaCerts }: ContainerOptions,
  { folder, catalogs, owner }: MountedFolders & { readonly owner: Owner },
) {
  const { max_processes: maxProcesses, memory_mb: limitMb } = launch.limits;
  const bind = (source: string, target: string, readOnly: boolean) => ({
    Type: "bind",
    Source: source,
    Target: target,
    ReadOnly: readOnly,
  });
  return {
    Image: image,
    Cmd: [...heapOption(memoryMb), entry],
    Env: [`${LAUNCH_FILE_VARIABLE}=/dev/stdin`, `HOME=${DATA_DIR}`],
    User: `${owner.uid}:${owner.gid}`,
    WorkingDir: DATA_DIR,
    Labels: engineLabels(deployment, launch),
    // Closed with the one connection that writes the launch file.
    OpenStdin: true,
    StdinOnce: true,
    ExposedPorts: { [`${PORT}/tcp`]: {} },
    HostConfig: {
      Init: true,
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Tmpfs: { "/tmp": "rw,nosuid,nodev,mode=1777" },
      Mounts: [
        bind(folder, DATA_DIR, false),
        ...(catalogs === null ? [] : [bind(catalogs, CATALOGS, true)]),
        ...(extraCaCerts === null ? [] : [bind(extraCaCerts, CERTIFICATES, true)]),
      ],
      PortBindings: { [`${PORT}/tcp`]: [{ HostIp: host, HostPort: String(launch.port) }] },
      RestartPolicy: { Name: "no" },
      LogConfig: { Type: "json-file", Config: { "max-size": "8m", "max-file": "2" } },
      CpuShares: Math.max(2, Math.round(cpuWeight * SHARES_PER_WEIGHT)),
      ...(maxProcesses > 0 && { PidsLimit: allTasks(maxProcesses) }),
      // Without swap: an engine with too much memory ends instead of slowing the host.
      ...(limitMb > 0 && { Memory: limitMb * MIB, MemorySwap: limitMb * MIB }),
      ...(runtime !== null && { Runtime: runtime }),
    },
  };
}

/** The launch file as the engine reads it in its container. */
export const dockerLaunch = (
  order: LaunchOrder,
  { extraCaCerts, diskReserveMb = 0 }: Pick<ContainerOptions, "extraCaCerts" | "diskReserveMb">,
): EngineLaunch => ({
  ...containerLaunch(order, extraCaCerts === null ? null : CERTIFICATES),
  disk_reserve_mb: diskReserveMb,
});
