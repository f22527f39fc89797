import { UPLOAD_MS, isFileUpload } from "../../contract/engine/file-limits.ts";
import { KNOWLEDGE_LIMITS } from "../../contract/orchestrator/knowledge-limits.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inBackground } from "../../shared/background.ts";
import { listenAt } from "../../shared/http/http-server.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import type { Config } from "./config.ts";
import type { ServiceManager } from "./service-manager.ts";
import { openDataFolder, storeAddress } from "./data-folder.ts";
import { adminRoutes } from "../http/admin-routes.ts";
import { brokerHandlers } from "../http/broker-handlers.ts";
import { createBrokerQuestions, isQuestionUrl } from "../http/broker-questions.ts";
import { knowledgeRoutes } from "../http/knowledge-routes.ts";
import { catalogRoutes } from "../http/catalog-routes.ts";
import { createApp } from "../http/app.ts";
import { connectionRoutes } from "../http/connection-routes.ts";
import { consoleRoutes } from "../http/console-routes.ts";
import { signInRoutes } from "../http/sign-in-routes.ts";
import { OriginCheck } from "../http/origin-check.ts";
import { loginCookie, sessionCookie, signInCookie } from "../http/console-cookie.ts";
import { createGateway } from "../http/gateway.ts";
import { isGatewayUrl } from "../http/gateway-path.ts";
import { invalidRequestBody } from "../http/error-responder.ts";
import { notificationRoutes } from "../http/notification-routes.ts";
import { openRoutes } from "../http/open-routes.ts";
import { engineRoutes } from "../http/engine-routes.ts";
import { scheduleRoutes } from "../http/schedule-routes.ts";
import { questionRoutes } from "../http/question-routes.ts";
import { secretRoutes } from "../http/secret-routes.ts";
import { userTokenRoutes } from "../http/user-token-routes.ts";
import { webhookRoutes } from "../http/webhook-routes.ts";
import { streamRoutes } from "../http/stream-routes.ts";
import { keepEmbedding } from "../supervision/embed-knowledge.ts";
import { followBudgets } from "../supervision/follow-budgets.ts";
import { followForgotten } from "../supervision/follow-forgotten.ts";
import { followTurnNotices } from "../supervision/follow-turn-notices.ts";
import { followModels } from "../supervision/follow-models.ts";
import { followToolHooks } from "../supervision/follow-tool-hooks.ts";
import { followSuspensions } from "../supervision/follow-suspensions.ts";
import { usageRoutes } from "../http/usage-routes.ts";
import { planRoutes } from "../http/plan-routes.ts";
import { productRoutes } from "../http/product-routes.ts";
import { engineUrl } from "../engine-calls/engine-url.ts";
import { assertRequired } from "../fleet/isolation/host-isolation.ts";
import { restoreModes } from "../fleet/isolation/file-modes.ts";
import { InvalidSettings } from "../../shared/environment.ts";
import { daemonUser } from "../fleet/isolation/owner.ts";
import { logIsolation } from "./isolation.ts";
import { openIsolation } from "./open-backend.ts";
import { type OpenHost, openHost } from "./open-host.ts";
import { createWaitingListener } from "./waiting-listener.ts";
import { AuditHeads } from "../recovery/audit-heads.ts";
import { AutoProvision } from "../operations/auto-provision.ts";
import { reapOverdue } from "../recovery/reap-overdue.ts";
import { isolationReport } from "../status/host-status.ts";
import { scheduleBackups } from "../recovery/backup-schedule.ts";
import { startMaintenance } from "../recovery/maintenance.ts";
import { deliverNotifications } from "../recovery/deliver-notifications.ts";
import { finishLogins } from "../recovery/finish-logins.ts";
import { startDueRuns } from "../recovery/start-due-runs.ts";
import type { EngineHost, HostContext, Service } from "../host-context.ts";
import { measureAwake } from "../status/measure-awake.ts";
import { sampleUsage } from "../status/sample-usage.ts";
import { PHASE_HEADER } from "../../contract/orchestrator/headers.ts";
import { Metrics } from "../status/metrics.ts";
import { Readiness } from "../status/readiness.ts";
import { Replica } from "../status/replica-role.ts";
import type { Leader } from "../store/leaders.ts";
import { reconcileFleet } from "../recovery/reconcile-fleet.ts";
import { startBanner } from "./start-banner.ts";
import { releaseInterruptedKeys } from "../store/idempotency-keys.ts";
import { unavailableReason } from "../store/unavailable-reason.ts";

/** The sender of a document of up to twice the allowed size gets the response, not a reset connection. */
const MAX_UNREAD_BYTES = 2 * KNOWLEDGE_LIMITS.documentBytes;
/** The engine ends those that make no progress. */
const FILE_UPLOADS = { isOne: isFileUpload, timeoutMs: UPLOAD_MS };
const CLOSE_DEADLINE_MS = 5000;
/** How long the hand-over waits for operations. The next leader finishes those that take longer. */
const HAND_OVER_MS = 1000;

export interface StartOptions {
  readonly config: Config;
  readonly installDir: string;
  readonly logger: Logger;
  /** Released before the other resources, so that no call arrives while they close. */
  readonly listeners: Releasers;
  readonly resources: Releasers;
  readonly stopping: AbortSignal;
  /** The socket of the service manager for the daemon's own port. Null: the daemon makes it. */
  readonly apiSocket: number | null;
  readonly serviceManager: ServiceManager;
  /** Stops the daemon because another one has acquired the host lock. */
  readonly takenOver: (error: Error) => void;
}

/** Listens, acquires the host's lock, reconciles the engines and serves. Resolves when the daemon is ready. */
export async function serve(options: StartOptions): Promise<void> {
  const { config, listeners, logger, apiSocket, serviceManager } = options;
  const startedAt = performance.now();
  options.resources.push(() => serviceManager.flush());
  options.stopping.addEventListener("abort", () => serviceManager.stopping(), { once: true });
  const folder = await openDataFolder(config.dataDir, config);
  restoreModes(config.dataDir, logger);
  const isolation = await openIsolation(options);
  assertRequired(isolation.report, { isRoot: daemonUser().uid === 0 });
  const replica = new Replica(config.replicaUrl);
  const metrics = new Metrics(replica);
  const dist = join(options.installDir, "dist");
  const documents = { documentsDir: join(dist, "documents/orchestrator"), consoleDir: join(dist, "console") };
  const open = { startedAt, ...documents, replica, hostId: folder.hostId, oidc: config.consoleOidc };
  const site = new OriginCheck(config);
  const readiness = new Readiness();
  const { adminKey, secretKey } = folder;
  const waiting = await createWaitingListener({ ...open, ...options, adminKey, secretKey, site, readiness, metrics });
  // Listens before the database is ready, so that health and readiness are served.
  let app = waiting.listener;
  const server = await listenAt(
    (request, response) => {
      if (readiness.phase !== "serving") response.setHeader(PHASE_HEADER, readiness.phase);
      app(request, response);
    },
    apiSocket === null ? { host: config.host, port: config.port } : { fd: apiSocket },
    { errorBody: invalidRequestBody, maxUnreadBytes: MAX_UNREAD_BYTES, uploads: FILE_UPLOADS },
  );
  listeners.push(() => {
    readiness.phase = "stopping";
    return server.close(CLOSE_DEADLINE_MS);
  });
  if (server.port !== config.port)
    throw new InvalidSettings([`ORCH_PORT: expected ${server.port}, the port of orchd.socket, got ${config.port}`]);
  const onWait = (leader: Leader | null) => {
    replica.follow(leader);
    const phase = replica.leaderUrl === null ? "standby" : "following";
    const status = phase === "standby" ? "on standby: another orchd holds this host" : `follows ${replica.leader}`;
    if (readiness.phase !== phase) logger.warn({ leader: replica.leader, phase }, "waiting to lead");
    readiness.phase = phase;
    serviceManager.status(status);
  };
  const opened = await openHost({
    ...options,
    folder,
    isolation,
    readiness,
    onWait,
    onLoss: options.takenOver,
    onConnected: waiting.onConnected,
    leaderUrl: config.replicaUrl,
    metrics,
  });
  if (opened === null) return;
  const { host, database } = opened;
  replica.lead(opened.leader);
  listeners.push(await storeAddress(config.dataDir, engineUrl(config.host, server.port)));
  listeners.push(() => handOver(opened, readiness));
  const cookie = sessionCookie(host, site);
  const autoProvision = new AutoProvision(host);
  const gateway = createGateway(host, { site, cookie, autoProvision });
  const api = createApp(host, {
    handlers: {
      ...openRoutes(readiness, open),
      ...productRoutes(host),
      ...planRoutes(host),
      ...engineRoutes(host, autoProvision),
      ...userTokenRoutes(host),
      ...connectionRoutes(host, loginCookie(host, site)),
      ...catalogRoutes(host),
      ...knowledgeRoutes(host),
      ...scheduleRoutes(host),
      ...webhookRoutes(host),
      ...notificationRoutes(host),
      ...questionRoutes(host),
      ...secretRoutes(host),
      ...streamRoutes(host),
      ...usageRoutes(host),
      ...adminRoutes(host),
      ...consoleRoutes(host, { adminKey: folder.adminKey, cookie }),
      ...signInRoutes(host, { session: cookie, pending: signInCookie(host, site) }),
    },
    adminKey: folder.adminKey,
    site,
    cookie,
    unavailableReasonOf: unavailableReason,
  });
  const questions = createBrokerQuestions(host, brokerHandlers(host), unavailableReason);
  const listenerOf = (url?: string) => (isGatewayUrl(url) ? gateway : isQuestionUrl(url) ? questions : api);
  app = (request, response) => listenerOf(request.url)(request, response);
  const report = isolationReport(host);
  logIsolation(report, logger);
  await warnAboutPorts(host);
  readiness.phase = "reconciling";
  serviceManager.status("reconciling its engines");
  const { adopted } = await reconcileFleet(host);
  await releaseInterruptedKeys(host.db, folder.hostId);
  readiness.phase = "serving";
  serviceManager.ready();
  const onScan = () => {
    serviceManager.pingWatchdog();
    serviceManager.status(`${host.live.ids().size} engines run`);
  };
  inBackground("scan for stuck engines", reapOverdue(host, onScan));
  followChanges(host);
  workUntilStopped(host);
  options.resources.push(() => host.backups.settled);
  inBackground("usage of engines", sampleUsage(host));
  inBackground("memory of engines", measureAwake(host));
  const heads = new AuditHeads(host);
  options.resources.push(() => heads.close());
  inBackground("heads of the audit log", heads.recordUntilStopped());
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${server.port}`;
  if (config.unknownSettings.length > 0) logger.warn({ settings: config.unknownSettings }, "ignored unknown settings");
  logger.info({ url, adopted, boot_ms: Math.round(performance.now() - startedAt) }, "ready");
  const isRelease = existsSync(join(options.installDir, "release.json"));
  process.stderr.write(
    startBanner(config, { url, database, isolation: report, adminKeyFile: folder.adminKeyFile, adopted, isRelease }),
  );
}

/** Sends engines and the broker what changes while they run. */
function followChanges(host: EngineHost): void {
  followBudgets(host);
  followSuspensions(host);
  followModels(host);
  followToolHooks(host);
  followForgotten(host);
}

/** What runs without a request. */
function workUntilStopped(host: EngineHost & Service): void {
  inBackground("maintenance", startMaintenance(host));
  inBackground("vectors of knowledge", keepEmbedding(host));
  inBackground("schedules", startDueRuns(host));
  inBackground("notifications", deliverNotifications(host));
  inBackground("logins at tool servers", finishLogins(host));
  inBackground("notices of turns", followTurnNotices(host));
  inBackground("schedule of backups", scheduleBackups(host));
}

/** Releases the host lock before the streams have ended, so that another replica leads at once. */
async function handOver({ host, lock }: OpenHost, readiness: Readiness): Promise<void> {
  readiness.phase = "stopping";
  await host.transitions.settled(HAND_OVER_MS);
  await lock.release();
}

async function warnAboutPorts(host: Pick<HostContext, "backend" | "logger">): Promise<void> {
  const problem = await host.backend.portProblem();
  if (problem !== null) host.logger.warn(problem);
}
