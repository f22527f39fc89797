import { join } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import type { CatalogFolders } from "../fleet/catalog-folders.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import type { EngineBackend } from "../fleet/engine-backend.ts";
import { createProcessBackend } from "../fleet/process-backend.ts";
import type { SocketStore } from "../fleet/socket-store.ts";
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
  readonly catalogs: CatalogFolders;
}

/** What runs engines with the settings of this daemon. */
export function openBackend(parts: BackendParts): EngineBackend {
  const { config, isolation, logger, resources, serviceManager, catalogs } = parts;
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
  });
  resources.push(() => backend.sockets.close());
  return backend;
}
