import type { RequestListener } from "node:http";
import { join } from "node:path";
import type { RouteName } from "../../contract/orchestrator-paths.ts";
import { listen } from "../../shared/http/http-server.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import type { Config } from "./config.ts";
import { openDataFolder } from "./data-folder.ts";
import { adminRoutes } from "../http/admin-routes.ts";
import { createApp } from "../http/app.ts";
import type { Handler } from "../http/call.ts";
import { documentRoutes } from "../http/document-routes.ts";
import { engineRoutes } from "../http/engine-routes.ts";
import { eventRoutes } from "../http/event-routes.ts";
import { healthRoutes } from "../http/health-routes.ts";
import { logsRoute } from "../http/logs-route.ts";
import { metricsRoute } from "../http/metrics-route.ts";
import { productRoutes } from "../http/product-routes.ts";
import { createWaitingApp } from "../http/waiting-app.ts";
import { openHost } from "./open-host.ts";
import { AuditHeads } from "../recovery/audit-heads.ts";
import { AutoProvision } from "../operations/auto-provision.ts";
import { reapOverdue } from "../recovery/reap-overdue.ts";
import { ephemeralPorts, overlapWarning } from "../status/host-status.ts";
import { startMaintenance } from "../recovery/maintenance.ts";
import type { HostContext } from "../host-context.ts";
import { Readiness } from "../status/readiness.ts";
import { reconcileFleet } from "../recovery/reconcile-fleet.ts";
import { notifyServiceManager } from "./service-manager.ts";
import { startBanner } from "./start-banner.ts";
import { dropInterruptedCalls } from "../store/idempotency-keys.ts";
import { whyUnavailable } from "../store/why-unavailable.ts";

const CLOSE_DEADLINE_MS = 5000;

export interface StartOptions {
  readonly config: Config;
  readonly installDir: string;
  readonly logger: Logger;
  /** Closed first: nobody calls any more when the rest is closed. */
  readonly front: Releasers;
  readonly opened: Releasers;
  readonly stopping: AbortSignal;
  /** Ends the daemon: another one has taken its host over. */
  readonly displaced: (error: Error) => void;
}

/** Listens, waits for the host to be this daemon's, finds its engines again and serves. Resolves when it does. */
export async function serve(beginning: StartOptions): Promise<void> {
  const { config, front, logger } = beginning;
  const startedAt = Date.now();
  const folder = await openDataFolder(config.dataDir, config);
  const documentsDir = join(beginning.installDir, "dist/documents/orchestrator");
  const readiness = new Readiness();
  // Listening comes first: whoever asks is told what the daemon waits for.
  let app: RequestListener = createWaitingApp(readiness, { startedAt, host: config.host, documentsDir, logger });
  const server = await listen((request, response) => app(request, response), config.host, config.port);
  front.push(() => {
    readiness.phase = "stopping";
    return server.close(CLOSE_DEADLINE_MS);
  });
  const onWait = () => {
    if (readiness.phase !== "standby") logger.warn("another orchd looks after this host: this one is a standby");
    readiness.phase = "standby";
  };
  const host = await openHost({ ...beginning, folder, readiness, onWait, onLoss: beginning.displaced });
  if (host === null) return;
  const { o } = host;
  app = createApp(o, {
    handlers: { ...allHandlers(o, startedAt), ...documentRoutes(documentsDir) },
    adminKey: folder.adminKey,
    host: config.host,
    whyDatabase: whyUnavailable,
  });
  await warnOfPorts(o);
  readiness.phase = "reconciling";
  const { adopted } = await reconcileFleet(o);
  await dropInterruptedCalls(o.db, folder.hostId);
  readiness.phase = "serving";
  void reapOverdue(o);
  void startMaintenance(o);
  const heads = new AuditHeads(o);
  beginning.opened.push(() => heads.close());
  void heads.keepRecording();
  await notifyServiceManager(config.notifySocket, logger);
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${server.port}`;
  logger.info({ url, adopted, boot_ms: Date.now() - startedAt }, "ready");
  const { database } = host;
  process.stderr.write(startBanner(config, { url, database, adminKeyFile: folder.adminKeyFile, adopted }));
}

function allHandlers(
  o: HostContext,
  startedAt: number,
): Readonly<Record<Exclude<RouteName, "openapi" | "docs">, Handler>> {
  return {
    ...healthRoutes(o.readiness, { startedAt }),
    ...productRoutes(o),
    ...engineRoutes(o, new AutoProvision(o)),
    ...eventRoutes(o),
    ...adminRoutes(o),
    engineLogs: logsRoute(o),
    metrics: metricsRoute(o),
  };
}

async function warnOfPorts(o: HostContext): Promise<void> {
  const warning = overlapWarning(o.settings.portRange, await ephemeralPorts());
  if (warning !== null) o.logger.warn(warning);
}
