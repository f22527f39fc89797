import { join } from "node:path";
import { DEFAULT_POLICY } from "../../contract/policy.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import type { CatalogFolders } from "../fleet/catalog-folders.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import type { EngineBackend } from "../fleet/engine-backend.ts";
import { createProcessBackend } from "../fleet/process-backend.ts";
import type { SocketStore } from "../fleet/socket-store.ts";
import type { BootQueue } from "../supervision/boot-queue.ts";
import type { Config } from "./config.ts";
import { folderProgram, openEngineStart } from "./isolation.ts";

interface BackendParts {
  readonly config: Config;
  readonly isolation: HostIsolation;
  readonly installDir: string;
  readonly logger: Logger;
  readonly resources: Releasers;
  readonly stopping: AbortSignal;
  readonly serviceManager: SocketStore;
  readonly bootQueue: Pick<BootQueue, "starting" | "waiting">;
  readonly catalogs: CatalogFolders;
}

/** What runs engines with the settings of this daemon. */
export function openBackend(parts: BackendParts): EngineBackend {
  const { config, isolation, logger, resources, serviceManager, catalogs, bootQueue } = parts;
  const backend = createProcessBackend({
    ...openEngineStart(parts),
    runDir: join(config.dataDir, "run"),
    dataDir: config.dataDir,
    folderProgram: folderProgram(parts.installDir),
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
