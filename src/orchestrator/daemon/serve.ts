import type { RequestListener } from "node:http";
import { join } from "node:path";
import { execa } from "execa";
import { listen } from "../../shared/http/http-server.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import type { Config } from "./config.ts";
import { openDataFolder } from "./data-folder.ts";
import { adminRoutes } from "../http/admin-routes.ts";
import { createApp } from "../http/app.ts";
import { openRoutes } from "../http/open-routes.ts";
import { engineRoutes } from "../http/engine-routes.ts";
import { streamRoutes } from "../http/stream-routes.ts";
import { productRoutes } from "../http/product-routes.ts";
import { createWaitingApp } from "../http/waiting-app.ts";
import { assertRequired } from "../fleet/isolation/host-isolation.ts";
import { restoreModes } from "../fleet/isolation/own-modes.ts";
import { ownUser } from "../fleet/isolation/owner.ts";
import { logIsolation, openIsolation } from "./isolation.ts";
import { openHost } from "./open-host.ts";
import { AuditHeads } from "../recovery/audit-heads.ts";
import { AutoProvision } from "../operations/auto-provision.ts";
import { reapOverdue } from "../recovery/reap-overdue.ts";
import { ephemeralPorts, isolationReport, overlapWarning } from "../status/host-status.ts";
import { startMaintenance } from "../recovery/maintenance.ts";
import type { HostContext } from "../host-context.ts";
import { sampleUsage } from "../status/sample-usage.ts";
import { Readiness } from "../status/readiness.ts";
import { reconcileFleet } from "../recovery/reconcile-fleet.ts";
import { startBanner } from "./start-banner.ts";
import { releaseInterruptedKeys } from "../store/idempotency-keys.ts";
import { unavailableReason } from "../store/unavailable-reason.ts";

const CLOSE_DEADLINE_MS = 5000;

export interface StartOptions {
  readonly config: Config;
  readonly installDir: string;
  readonly logger: Logger;
  /** Released before the other resources, so that no call arrives while they close. */
  readonly listeners: Releasers;
  readonly resources: Releasers;
  readonly stopping: AbortSignal;
  /** Stops the daemon because another one has taken this host over. */
  readonly takenOver: (error: Error) => void;
}

/** Listens, acquires the host's lock, reconciles the engines and serves. Resolves when the daemon is ready. */
export async function serve(options: StartOptions): Promise<void> {
  const { config, listeners, logger } = options;
  const startedAt = Date.now();
  const folder = await openDataFolder(config.dataDir, config);
  restoreModes(config.dataDir, logger);
  const isolation = await openIsolation(options);
  assertRequired(isolation.report, { isRoot: ownUser().uid === 0 });
  const open = { startedAt, documentsDir: join(options.installDir, "dist/documents/orchestrator") };
  const readiness = new Readiness();
  // Listens first, so that clients learn what the daemon waits for.
  let app: RequestListener = createWaitingApp(readiness, { ...open, host: config.host, logger });
  const server = await listen((request, response) => app(request, response), config.host, config.port);
  listeners.push(() => {
    readiness.phase = "stopping";
    return server.close(CLOSE_DEADLINE_MS);
  });
  const onWait = () => {
    if (readiness.phase !== "standby") logger.warn("waiting on standby: another orchd holds this host");
    readiness.phase = "standby";
  };
  const opened = await openHost({ ...options, folder, isolation, readiness, onWait, onLoss: options.takenOver });
  if (opened === null) return;
  const { host, database } = opened;
  app = createApp(host, {
    handlers: {
      ...openRoutes(readiness, open),
      ...productRoutes(host),
      ...engineRoutes(host, new AutoProvision(host)),
      ...streamRoutes(host),
      ...adminRoutes(host),
    },
    adminKey: folder.adminKey,
    host: config.host,
    whyDatabase: unavailableReason,
  });
  const report = isolationReport(host);
  logIsolation(report, logger);
  await warnAboutPorts(host);
  readiness.phase = "reconciling";
  const { adopted } = await reconcileFleet(host);
  await releaseInterruptedKeys(host.db, folder.hostId);
  readiness.phase = "serving";
  void reapOverdue(host);
  void startMaintenance(host);
  void sampleUsage(host);
  const heads = new AuditHeads(host);
  options.resources.push(() => heads.close());
  void heads.recordUntilStopped();
  await notifyServiceManager(config.notifySocket, logger);
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${server.port}`;
  logger.info({ url, adopted, boot_ms: Date.now() - startedAt }, "ready");
  process.stderr.write(
    startBanner(config, { url, database, isolation: report, adminKeyFile: folder.adminKeyFile, adopted }),
  );
}

async function warnAboutPorts(host: HostContext): Promise<void> {
  const warning = overlapWarning(host.settings.portRange, await ephemeralPorts());
  if (warning !== null) host.logger.warn(warning);
}

/** Notifies systemd that the daemon is ready (`Type=notify`). Without a socket it does nothing. */
async function notifyServiceManager(socket: string | undefined, logger: Logger): Promise<void> {
  if (socket === undefined) return;
  const notified = await execa("systemd-notify", ["--ready", "--no-block"], {
    extendEnv: false,
    env: { PATH: "/usr/bin:/bin", NOTIFY_SOCKET: socket },
    timeout: 3000,
    reject: false,
  });
  if (notified.failed) logger.warn({ reason: notified.shortMessage }, "failed to notify systemd");
}
