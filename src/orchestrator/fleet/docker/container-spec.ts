import { createHash } from "node:crypto";
import { LAUNCH_FILE_VARIABLE, NOT_ISOLATED } from "../../../contract/launch-file.ts";
import type { EngineLaunch } from "../../../contract/engine-launch.ts";
import type { LaunchOrder } from "../engine-backend.ts";
import { allTasks } from "../engine-limits.ts";
import type { Owner } from "../isolation/owner.ts";
import { LABELS } from "./containers.ts";
import { heapOption } from "../heap-option.ts";

/** The port of every engine in its container. */
const PORT = 8080;
const DATA_DIR = "/data";
const CATALOGS = "/catalogs";
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
    Labels: {
      [LABELS.deployment]: deployment,
      [LABELS.engine]: launch.engine_id,
      [LABELS.incarnation]: launch.incarnation,
    },
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
export const containerLaunch = (
  { launch, catalog }: LaunchOrder,
  { extraCaCerts }: Pick<ContainerOptions, "extraCaCerts">,
): EngineLaunch => ({
  ...launch,
  host: "0.0.0.0",
  port: PORT,
  data_dir: DATA_DIR,
  ...(catalog && { product_catalog: { folder: CATALOGS, version: catalog.version, digest: catalog.digest } }),
  extra_ca_certs: extraCaCerts === null ? null : CERTIFICATES,
  isolation: NOT_ISOLATED,
});
