import { join } from "node:path";
import PQueue from "p-queue";
import type { RequestListener } from "node:http";
import type { RouteName } from "../contract/orchestrator-api.ts";
import { InvalidSettings } from "../kit/environment.ts";
import { listen } from "../kit/http-server.ts";
import { type Logger, createLogger } from "../kit/logger.ts";
import { Releasers } from "../kit/releasers.ts";
import { SealedBox } from "../kit/sealed-box.ts";
import { SerialLanes } from "../kit/serial-lanes.ts";
import { shutdownSignal } from "../kit/shutdown-signals.ts";
import { StallWatch } from "../kit/stall-watch.ts";
import { type Config, readConfig } from "./config.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { LiveEngines } from "./fleet/live-engines.ts";
import { createProcessBackend } from "./fleet/process-backend.ts";
import { adminRoutes } from "./http/admin-routes.ts";
import { createApp } from "./http/app.ts";
import type { Handler } from "./http/call.ts";
import { engineRoutes } from "./http/engine-routes.ts";
import { eventRoutes } from "./http/event-routes.ts";
import { healthRoutes } from "./http/health-routes.ts";
import { logsRoute } from "./http/logs-route.ts";
import { metricsRoute } from "./http/metrics-route.ts";
import { productRoutes } from "./http/product-routes.ts";
import { createWaitingApp } from "./http/waiting-app.ts";
import { AutoProvision } from "./operations/auto-provision.ts";
import { BootQueue } from "./operations/boot-queue.ts";
import { driveOverdue } from "./operations/drive-overdue.ts";
import { FleetBreaker } from "./operations/fleet-breaker.ts";
import { ephemeralPorts, overlapWarning } from "./operations/host-status.ts";
import { keepHouse } from "./operations/keep-house.ts";
import { Metrics } from "./operations/metrics.ts";
import type { Orchestration } from "./operations/orchestration.ts";
import { Readiness } from "./operations/readiness.ts";
import { RecentFailures } from "./operations/recent-failures.ts";
import { reconcileFleet } from "./operations/reconcile-fleet.ts";
import { tellBreaker } from "./operations/tell-breaker.ts";
import { notifyServiceManager } from "./service-manager.ts";
import { startBanner } from "./start-banner.ts";
import { startBundledPostgres } from "./postgres/start-bundled-postgres.ts";
import { type Connection, type Db, isDatabaseAway, openDatabase } from "./store/database.ts";
import { EngineStates } from "./store/engine-states.ts";
import { EventLog } from "./store/events.ts";
import { HostTakenOver, holdHost } from "./store/host-lock.ts";
import { isDraining } from "./store/hosts.ts";
import { dropInterruptedCalls } from "./store/idempotency-keys.ts";
import { migrateToLatest } from "./store/migrate.ts";
import { preparePorts } from "./store/ports.ts";
import { ProductDirectory } from "./store/product-directory.ts";

const CLOSE_DEADLINE_MS = 5000;
const MAX_PROBES = 32;
const PORT_REUSE_DELAY_S = 60;

/** The daemon, from its environment to its end. Problems that an operator can mend are told in plain words. */
export async function run({ installDir }: { readonly installDir: string }): Promise<void> {
  const signal = shutdownSignal();
  const stopping = new AbortController();
  const front = new Releasers();
  const opened = new Releasers();
  let started = Promise.resolve();
  try {
    const config = readConfig(process.env, process.getuid?.() ?? -1);
    const displaced = Promise.withResolvers<never>();
    started = start({ config, installDir, front, opened, stopping: stopping.signal, displaced: displaced.reject });
    const cause = await Promise.race([signal, displaced.promise, started.then(() => signal)]);
    process.stderr.write(`orchd stops on ${cause}; engines keep running\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${explain(error)}\n`);
  }
  stopping.abort();
  // What is still being opened is closed too.
  await started.catch(() => undefined);
  await front.release();
  await opened.release();
}

interface Beginning {
  readonly config: Config;
  readonly installDir: string;
  /** Closed first: nobody calls any more when the rest is closed. */
  readonly front: Releasers;
  readonly opened: Releasers;
  readonly stopping: AbortSignal;
  /** Ends the daemon: another one has taken its host over. */
  readonly displaced: (error: Error) => void;
}

async function start(beginning: Beginning): Promise<void> {
  const { config, front, opened, stopping } = beginning;
  const startedAt = Date.now();
  const logger = createLogger("orchd", config.logLevel);
  const folder = await openDataFolder(config.dataDir, config);
  const readiness = new Readiness();

  // Listening comes first: whoever asks is told what the daemon waits for.
  let app: RequestListener = createWaitingApp(readiness, { startedAt, logger });
  const server = await listen((request, response) => app(request, response), config.host, config.port);
  front.push(() => {
    readiness.phase = "stopping";
    return server.close(CLOSE_DEADLINE_MS);
  });

  const database = await reachDatabase(beginning, logger);
  const { db, newClient } = openDatabase(database.connection, logger);
  opened.push(() => db.destroy());
  readiness.watch(db);
  const { hostId } = folder;
  await holdHost(
    { newClient, hostId, logger, signal: stopping },
    {
      onWait: () => {
        if (readiness.phase !== "standby") logger.warn("another orchd looks after this host: this one is a standby");
        readiness.phase = "standby";
      },
      onLoss: beginning.displaced,
    },
  );
  if (stopping.aborted) return;
  readiness.phase = "starting";
  await migrateToLatest(db);
  const portRange = { hostId, min: config.portMin, max: config.portMax, reuseDelayS: PORT_REUSE_DELAY_S };
  await preparePorts(db, portRange);
  readiness.draining = await isDraining(db, hostId);
  const directory = new ProductDirectory(db);
  await directory.listen(newClient, logger, stopping);

  const o = createOrchestration(beginning, { db, directory, folder, logger, portRange, readiness });
  app = createApp(o, { handlers: allHandlers(o, startedAt), adminKey: folder.adminKey, isDatabaseAway });
  await warnOfPorts(o);
  readiness.phase = "reconciling";
  const { adopted } = await reconcileFleet(o);
  await dropInterruptedCalls(db, hostId);
  readiness.phase = "serving";
  void driveOverdue(o);
  void keepHouse(o);
  await notifyServiceManager(config.notifySocket, logger);
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${server.port}`;
  logger.info({ url, adopted, boot_ms: Date.now() - startedAt }, "ready");
  const { adminKeyFile } = folder;
  process.stderr.write(startBanner(config, { url, database: database.describe, adminKeyFile, adopted }));
}

async function reachDatabase(
  { config, installDir, opened }: Beginning,
  logger: Logger,
): Promise<{ readonly connection: Connection; readonly describe: string }> {
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseUrl }, describe: "PostgreSQL at DATABASE_URL" };
  }
  const bundled = await startBundledPostgres({ installDir, dataDir: config.dataDir, logger });
  opened.push(() => bundled.stop());
  return bundled;
}

function createOrchestration(
  { config, installDir, opened, stopping }: Beginning,
  {
    db,
    directory,
    folder,
    logger,
    portRange,
    readiness,
  }: {
    readonly db: Db;
    readonly directory: ProductDirectory;
    readonly folder: DataFolder;
    readonly logger: Logger;
    readonly portRange: Orchestration["settings"]["portRange"];
    readonly readiness: Readiness;
  },
): Orchestration {
  const events = new EventLog(folder.hostId);
  const stalls = new StallWatch();
  opened.push(() => stalls.stop());
  return {
    db,
    events,
    states: new EngineStates(db, events),
    directory,
    backend: createProcessBackend({
      nodePath: process.execPath,
      engineEntry: join(installDir, "bin", "orch-engine.cjs"),
      cacheDir: join(config.dataDir, "cache"),
      runDir: join(config.dataDir, "run"),
      logger,
      path: config.path,
    }),
    live: new LiveEngines(),
    boots: new Map(),
    bootQueue: new BootQueue(config.bootConcurrency),
    breaker: new FleetBreaker((news) => tellBreaker({ db, events, logger }, news)),
    failures: new RecentFailures(),
    lanes: new SerialLanes(),
    probes: new PQueue({ concurrency: MAX_PROBES }),
    stalls,
    box: new SealedBox(folder.secretKey),
    readiness,
    metrics: new Metrics(),
    settings: { ...config, portRange, engineHost: config.host },
    now: Date.now,
    logger,
    stopping,
  };
}

function allHandlers(o: Orchestration, startedAt: number): Readonly<Record<RouteName, Handler>> {
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

async function warnOfPorts(o: Orchestration): Promise<void> {
  const warning = overlapWarning(o.settings.portRange, await ephemeralPorts());
  if (warning !== null) o.logger.warn(warning);
}

/** What went wrong, for the person at the terminal: the setting, what it was, what was expected. */
function explain(error: unknown): string {
  if (error instanceof InvalidSettings) {
    return ["orchd cannot start:", ...error.problems.map((problem) => `  ${problem}`)].join("\n");
  }
  if (error instanceof HostTakenOver) return `orchd stops: ${error.message}`;
  if (!(error instanceof Error)) return `orchd cannot start: ${String(error)}`;
  const code = "code" in error ? error.code : undefined;
  const syscall = "syscall" in error ? error.syscall : undefined;
  if (syscall === "listen" && code === "EADDRINUSE") {
    return "orchd cannot start: ORCH_PORT is in use by another program (is orchd running already?); set another ORCH_PORT";
  }
  if (syscall === "listen")
    return `orchd cannot start: ORCH_HOST and ORCH_PORT cannot be listened on (${error.message})`;
  if (isDatabaseAway(error)) {
    return `orchd cannot start: the database at DATABASE_URL cannot be reached (${error.message || String(code)})`;
  }
  return `orchd cannot start: ${error.message || error.name}`;
}
