import { join } from "node:path";
import { hasCode } from "../../shared/error-code.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import { LocalBroker } from "../fleet/broker/local-broker.ts";
import type { ModelBroker } from "../fleet/broker/model-broker.ts";
import { remoteBroker } from "../fleet/broker/remote-broker.ts";
import { engineUrl } from "../engine-calls/engine-url.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import { daemonUser, engineUser } from "../fleet/isolation/owner.ts";
import type { Config } from "./config.ts";
import { brokerAddress } from "./open-backend.ts";
import type { DataFolder } from "./data-folder.ts";

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
  const secret = config.broker.key ?? folder.secretKey;
  if (config.broker.url !== null) return remoteBroker(config.broker.url, secret);
  const host = await brokerAddress(config);
  if (host === null) return null;
  const { engineUids, portMin, portMax } = config;
  const hasUsers = isolation.hasEngineUsers || (config.isolation !== "off" && daemonUser().uid === 0);
  const broker = new LocalBroker({
    nodePath: process.execPath,
    file: join(installDir, "dist", "orchd-broker.cjs"),
    folder: join(config.dataDir, "broker"),
    secret,
    host,
    port: config.broker.port,
    enginePorts: { min: portMin, max: portMax },
    // Beside those of the engines, which have one for each of their ports.
    ownerOn: (port) => (hasUsers ? engineUser(engineUids.min - portMin + port) : null),
    confine: config.isolation !== "off",
    extraCaCerts: config.extraCaCerts,
    daemonUrl: engineUrl(config.host, config.port),
    logger,
    stopping,
  });
  parts.resources.push(() => broker.close());
  return broker.open().catch((error: unknown) => {
    // The daemon runs in a container of its own, and not on the machine of the engines.
    if (!hasCode(error, "EADDRNOTAVAIL")) throw error;
    logger.warn(
      { host },
      "no broker of model calls: engines hold the keys of their providers, because this address is not the daemon's",
    );
    return null;
  });
}
