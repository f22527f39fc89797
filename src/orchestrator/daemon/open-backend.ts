import { join } from "node:path";
import { DEFAULT_POLICY } from "../../contract/policy.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import type { CatalogFolders } from "../fleet/catalog-folders.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import type { EngineBackend } from "../fleet/engine-backend.ts";
import { assertDocker } from "../fleet/docker/assert-docker.ts";
import { createDockerBackend } from "../fleet/docker/docker-backend.ts";
import { assertKubernetes } from "../fleet/kubernetes/assert-kubernetes.ts";
import { findCluster } from "../fleet/kubernetes/cluster-access.ts";
import { createKubernetesBackend } from "../fleet/kubernetes/kubernetes-backend.ts";
import { createProcessBackend } from "../fleet/process-backend.ts";
import type { SocketStore } from "../fleet/socket-store.ts";
import type { BootQueue } from "../supervision/boot-queue.ts";
import type { Config } from "./config.ts";
import { readCertificates } from "./read-kubernetes.ts";
import { folderProgram, openEngineStart } from "./isolation.ts";

/** The paths in the image, as in the Dockerfile. */
const ENTRY_IN_IMAGE = "/opt/orchd/bin/orch-engine.cjs";
const FOLDER_PROGRAM_IN_IMAGE = "/opt/orchd/dist/orchd-folder.cjs";
const CATALOG_PROGRAM_IN_IMAGE = "/opt/orchd/dist/orchd-unpack-catalog.cjs";

interface BackendParts {
  readonly config: Config;
  readonly isolation: HostIsolation;
  readonly installDir: string;
  /** The id of this deployment. */
  readonly hostId: string;
  readonly logger: Logger;
  readonly resources: Releasers;
  readonly stopping: AbortSignal;
  readonly serviceManager: SocketStore;
  readonly bootQueue: Pick<BootQueue, "starting" | "waiting">;
  readonly catalogs: CatalogFolders;
}

/** Opens the backend of `ORCH_BACKEND`. Throws `InvalidSettings` when no engine could start. */
export const openBackend = async (parts: BackendParts): Promise<EngineBackend> => {
  const { backend } = parts.config;
  if (backend === "docker") return openContainers(parts);
  return backend === "kubernetes" ? openPods(parts) : openProcesses(parts);
};

async function openContainers({ config, hostId, installDir, catalogs }: BackendParts): Promise<EngineBackend> {
  await assertDocker(config.docker);
  return createDockerBackend({
    ...config.docker,
    entry: ENTRY_IN_IMAGE,
    deployment: hostId,
    host: config.host,
    extraCaCerts: config.extraCaCerts,
    dataDir: config.dataDir,
    catalogs,
    nodePath: process.execPath,
    folderProgram: folderProgram(installDir),
    ports: { min: config.portMin, max: config.portMax },
  });
}

async function openPods({ config, hostId, catalogs }: BackendParts): Promise<EngineBackend> {
  const { kubeconfig, service, ...settings } = config.kubernetes;
  const access = await findCluster(kubeconfig, service);
  const options = { ...settings, access, namespace: settings.namespace ?? access.namespace ?? "default" };
  await assertKubernetes(options);
  return createKubernetesBackend({
    ...options,
    entry: ENTRY_IN_IMAGE,
    folderProgram: FOLDER_PROGRAM_IN_IMAGE,
    catalogProgram: CATALOG_PROGRAM_IN_IMAGE,
    checker: catalogs,
    deployment: hostId,
    certificates: await readCertificates(config.extraCaCerts),
    startMs: config.bootTimeoutMs,
  });
}

function openProcesses(parts: BackendParts): EngineBackend {
  const { config, isolation, logger, resources, serviceManager, catalogs, bootQueue } = parts;
  const backend = createProcessBackend({
    ...openEngineStart(parts),
    runDir: join(config.dataDir, "run"),
    dataDir: config.dataDir,
    folderProgram: folderProgram(parts.installDir),
    ports: { min: config.portMin, max: config.portMax },
    host: config.host,
    isolation: isolation.launch,
    catalogs,
    extraCaCerts: config.extraCaCerts,
    socketStore: serviceManager,
    logger,
    path: config.path,
    warmEngines: {
      target: config.warmEngines,
      settings: config.engineDefaults,
      memoryMb: DEFAULT_POLICY.memory_mb,
      isBusy: () => bootQueue.starting + bootQueue.waiting > 0,
    },
  });
  resources.push(() => backend.spares.close());
  resources.push(() => backend.sockets.close());
  return backend;
}
