import type { RequestListener } from "node:http";
import { lazily } from "../../shared/lazily.ts";
import type { Logger } from "../../shared/logger.ts";
import { createFollowerGateway } from "../http/follower-gateway.ts";
import { isGatewayUrl } from "../http/gateway-path.ts";
import type { OpenRoutesParts } from "../http/open-routes.ts";
import type { OriginCheck } from "../http/origin-check.ts";
import { LeaderProxy } from "../http/forward-to-leader.ts";
import { createWaitingApp } from "../http/waiting-app.ts";
import { DirectAddresses } from "../status/direct-addresses.ts";
import type { Metrics } from "../status/metrics.ts";
import type { Readiness } from "../status/readiness.ts";
import type { Replica } from "../status/replica-role.ts";
import type { OpenDatabase } from "../store/database.ts";
import type { Config } from "./config.ts";
import { hostNetworkId } from "./host-network-id.ts";
import { openEndUsers } from "./open-end-users.ts";
import { directAddress } from "./open-backend.ts";

interface WaitingListenerParts extends OpenRoutesParts {
  readonly config: Config;
  readonly adminKey: string;
  readonly secretKey: string;
  readonly stopping: AbortSignal;
  readonly site: OriginCheck;
  readonly readiness: Readiness;
  readonly replica: Replica;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The request listener of a daemon before it leads. `onConnected` starts the follower's gateway. */
export async function createWaitingListener({
  config,
  readiness,
  replica,
  secretKey,
  stopping,
  ...parts
}: WaitingListenerParts): Promise<{
  readonly listener: RequestListener;
  readonly onConnected: (database: Pick<OpenDatabase, "db" | "newClient">) => void;
}> {
  // When this daemon itself becomes the leader, calls that wait here are forwarded to its own URL.
  const leaderProxy = new LeaderProxy(replica);
  const app = createWaitingApp(readiness, { ...parts, replica, leaderProxy });
  const place = await hostNetworkId();
  const isNear = () => place !== null && place === replica.leaderPlace;
  let gateway: RequestListener | null = null;
  return {
    listener: (request, response) => {
      const isFollowing = readiness.phase === "following" && gateway !== null && isGatewayUrl(request.url);
      (isFollowing && gateway !== null ? gateway : app)(request, response);
    },
    onConnected: ({ db, newClient }) => {
      gateway = createFollowerGateway({
        ...parts,
        leaderProxy,
        endUsers: lazily(() => openEndUsers({ db, newClient, secretKey, stopping, logger: parts.logger })),
        addresses: new DirectAddresses(db, (engine) => directAddress(config, engine, isNear())),
      });
    },
  };
}
