import { join } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import { LocalBroker } from "../fleet/broker/local-broker.ts";
import type { ModelBroker } from "../fleet/broker/model-broker.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import { engineUser } from "../fleet/isolation/owner.ts";
import type { Config } from "./config.ts";
import type { DataFolder } from "./data-folder.ts";

const LOOPBACK = "127.0.0.1";

interface BrokerParts {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly isolation: HostIsolation;
  readonly installDir: string;
  readonly logger: Logger;
  readonly resources: Releasers;
  readonly stopping: AbortSignal;
}

/** The broker of the backend. Null where engines call the providers themselves. */
export async function openBroker(parts: BrokerParts): Promise<ModelBroker | null> {
  const { config, folder, isolation, installDir, logger, stopping } = parts;
  if (config.backend !== "process") return null;
  const { engineUids, portMin, portMax } = config;
  const broker = new LocalBroker({
    nodePath: process.execPath,
    file: join(installDir, "dist", "orchd-broker.cjs"),
    folder: join(config.dataDir, "broker"),
    secret: folder.secretKey,
    host: LOOPBACK,
    reachedAs: LOOPBACK,
    port: config.brokerPort,
    enginePorts: { min: portMin, max: portMax },
    // Beside those of the engines, which have one for each of their ports.
    ownerOn: (port) => (isolation.hasEngineUsers ? engineUser(engineUids.min - portMin + port) : null),
    confine: isolation.launch.engine,
    extraCaCerts: config.extraCaCerts,
    logger,
    stopping,
  });
  parts.resources.push(() => broker.close());
  return broker.open();
}
