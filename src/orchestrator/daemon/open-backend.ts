import { join } from "node:path";
import type { EngineHandle } from "../../contract/orchestrator/engine-handle.ts";
import { DEFAULT_POLICY } from "../../contract/orchestrator/policy.ts";
import type { Logger } from "../../shared/logger.ts";
import { removeLeftovers } from "../../sandbox/folders.ts";
import type { Releasers } from "../../shared/releasers.ts";
import { containerIsolation } from "../fleet/containers/container-isolation.ts";
import { CatalogFolders } from "../fleet/folders/catalog-folders.ts";
import { KnowledgeFiles } from "../fleet/folders/knowledge-files.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import type { EngineBackend } from "../fleet/engine-backend.ts";
import { engineUrl } from "../engine-calls/engine-url.ts";
import { removedFolder } from "../fleet/folders/engine-folder.ts";
import { assertDocker } from "../fleet/docker/assert-docker.ts";
import { bridgeAddress } from "../fleet/docker/bridge-address.ts";
import { createDockerBackend } from "../fleet/docker/docker-backend.ts";
import { assertKubernetes } from "../fleet/kubernetes/assert-kubernetes.ts";
import { findCluster } from "../fleet/kubernetes/cluster-access.ts";
import { createKubernetesBackend } from "../fleet/kubernetes/kubernetes-backend.ts";
import { podAddress } from "../fleet/kubernetes/pod-handle.ts";
import { createProcessBackend } from "../fleet/process/process-backend.ts";
import type { SocketStore } from "../fleet/sockets/socket-store.ts";
import type { SealedBox } from "../store/sealed-box.ts";
import type { BootQueue } from "../supervision/boot-queue.ts";
import type { Config } from "./config.ts";
import { readCertificates } from "./read-kubernetes.ts";
import { type IsolationParts, folderProgram, openEngineStart, processIsolation } from "./isolation.ts";

/** The paths in the image, as in the Dockerfile. */
const ENTRY_IN_IMAGE = "/opt/orchd/bin/orch-engine.cjs";
const FOLDER_PROGRAM_IN_IMAGE = "/opt/orchd/dist/orchd-folder.cjs";
const CATALOG_PROGRAM_IN_IMAGE = "/opt/orchd/dist/orchd-unpack-catalog.cjs";

const LOOPBACK = "127.0.0.1";

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
  readonly bootQueue: Pick<BootQueue, "free">;
  /** How many spares fit beside the engines that are awake. */
  readonly sparesFitting: () => number;
  readonly box: SealedBox;
}

/** Opens the backend of `ORCH_BACKEND`. Throws `InvalidSettings` when no engine could start. */
export const openBackend = async (parts: BackendParts): Promise<EngineBackend> => {
  const { backend, dataDir } = parts.config;
  removeLeftovers({ aside: removedFolder(dataDir) }).catch((error: unknown) =>
    parts.logger.warn({ err: error }, "failed to remove folders of interrupted removals"),
  );
  const catalogs = await openCatalogs(parts);
  return BACKENDS[backend].open(parts, { catalogs, knowledge: openKnowledgeFiles(parts, catalogs) });
};

/** Assesses the isolation of engines. Throws `InvalidSettings` for folders that tools must not read. */
export const openIsolation = async (parts: IsolationParts): Promise<HostIsolation> =>
  BACKENDS[parts.config.backend].isolation(parts);

/** Where a replica that does not lead calls an engine. Null: through the leader. */
export const directAddress = (config: Config, engine: StoredAddress, isNear: boolean): string | null =>
  BACKENDS[config.backend].directAddress(config, engine, isNear);

/** The address of this machine at which its broker listens, and engines reach it. Null: the backend's engines reach none. */
export const brokerAddress = (config: Config): Promise<string | null> | string | null =>
  BACKENDS[config.backend].brokerAddress(config);

interface StoredAddress {
  readonly port: number | null;
  readonly handle: EngineHandle | null;
}

/** What the engines of a product share. */
interface ProductFiles {
  readonly catalogs: CatalogFolders;
  readonly knowledge: KnowledgeFiles;
}

interface BackendRow {
  readonly isolation: (parts: IsolationParts) => HostIsolation | Promise<HostIsolation>;
  readonly brokerAddress: (config: Config) => Promise<string | null> | string | null;
  readonly open: (parts: BackendParts, files: ProductFiles) => EngineBackend | Promise<EngineBackend>;
  /** `isNear`: the replica is on the leader's machine. */
  readonly directAddress: (config: Config, engine: StoredAddress, isNear: boolean) => string | null;
}

/** Engines on a machine listen on its own addresses. */
const addressOnMachine: BackendRow["directAddress"] = ({ host }, { port }, isNear) =>
  isNear && port !== null ? engineUrl(host, port) : null;

const BACKENDS: Readonly<Record<Config["backend"], BackendRow>> = {
  process: {
    isolation: processIsolation,
    brokerAddress: () => LOOPBACK,
    open: openProcesses,
    directAddress: addressOnMachine,
  },
  docker: {
    isolation: ({ config }) => containerIsolation(config.isolation, config.docker.runtime),
    brokerAddress: ({ docker }) => bridgeAddress(docker),
    open: openContainers,
    directAddress: addressOnMachine,
  },
  kubernetes: {
    isolation: ({ config }) => containerIsolation(config.isolation, config.kubernetes.runtimeClass),
    brokerAddress: () => null,
    open: openPods,
    directAddress: (_, engine) => podAddress(engine),
  },
};

async function openContainers(
  { config, hostId, installDir }: BackendParts,
  files: ProductFiles,
): Promise<EngineBackend> {
  await assertDocker(config.docker);
  return createDockerBackend({
    ...config.docker,
    entry: ENTRY_IN_IMAGE,
    deployment: hostId,
    host: config.host,
    extraCaCerts: config.extraCaCerts,
    dataDir: config.dataDir,
    ...files,
    nodePath: process.execPath,
    folderProgram: folderProgram(installDir),
    ports: { min: config.portMin, max: config.portMax },
    diskReserveMb: config.diskReserveMb,
  });
}

async function openPods(
  { config, hostId }: BackendParts,
  { catalogs, knowledge }: ProductFiles,
): Promise<EngineBackend> {
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
    knowledge,
    deployment: hostId,
    certificates: await readCertificates(config.extraCaCerts),
    startMs: config.bootTimeoutMs,
  });
}

function openProcesses(parts: BackendParts, files: ProductFiles): EngineBackend {
  const { config, isolation, logger, resources, serviceManager, bootQueue, sparesFitting } = parts;
  const backend = createProcessBackend({
    ...openEngineStart(parts),
    runDir: join(config.dataDir, "run"),
    dataDir: config.dataDir,
    folderProgram: folderProgram(parts.installDir),
    ports: { min: config.portMin, max: config.portMax },
    host: config.host,
    diskReserveMb: config.diskReserveMb,
    isolation: isolation.launch,
    ...files,
    extraCaCerts: config.extraCaCerts,
    socketStore: serviceManager,
    logger,
    path: config.path,
    warmEngines: {
      target: config.warmEngines,
      settings: config.engineDefaults,
      memoryMb: DEFAULT_POLICY.memory_mb,
      freeBoots: () => bootQueue.free,
      fitting: sparesFitting,
    },
  });
  resources.push(() => backend.spares.close());
  resources.push(() => backend.sockets.close());
  return backend;
}

/** The folders of products' catalogs below the data folder. */
async function openCatalogs({ config, installDir, isolation, stopping, box }: BackendParts): Promise<CatalogFolders> {
  const catalogs = new CatalogFolders({
    dataDir: config.dataDir,
    nodePath: process.execPath,
    program: join(installDir, "dist", "orchd-catalog.cjs"),
    confine: isolation.launch.engine,
    readable: isolation.launch.read,
    signal: stopping,
    // An unguessable name protects the folder from other engines when only file modes do.
    nameOf: (productId) => `${productId}-${box.token("catalog", productId)}`,
  });
  await catalogs.discardStaged();
  return catalogs;
}

/** The files of products' knowledge, in the folders of their catalogs. */
function openKnowledgeFiles({ config, installDir, isolation, stopping }: BackendParts, catalogs: CatalogFolders) {
  return new KnowledgeFiles({
    dataDir: config.dataDir,
    nodePath: process.execPath,
    program: join(installDir, "dist", "orchd-knowledge.cjs"),
    confine: isolation.launch.engine,
    signal: stopping,
    catalogFolder: (productId) => catalogs.ofProduct(productId),
  });
}
