import { join } from "node:path";
import PQueue from "p-queue";
import type { RouteName } from "../contract/orchestrator-api.ts";
import { InvalidSettings } from "../kit/environment.ts";
import { type ListeningServer, listen } from "../kit/http-server.ts";
import { type Logger, createLogger } from "../kit/logger.ts";
import { Releasers } from "../kit/releasers.ts";
import { SealedBox } from "../kit/sealed-box.ts";
import { SerialLanes } from "../kit/serial-lanes.ts";
import { shutdownSignal } from "../kit/shutdown-signals.ts";
import { type Config, readConfig } from "./config.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { LiveEngines } from "./fleet/live-engines.ts";
import { createProcessBackend } from "./fleet/process-backend.ts";
import { createApp } from "./http/app.ts";
import type { Handler } from "./http/call.ts";
import { engineRoutes } from "./http/engine-routes.ts";
import { healthRoutes } from "./http/health-routes.ts";
import { logsRoute } from "./http/logs-route.ts";
import { productRoutes } from "./http/product-routes.ts";
import { AutoProvision } from "./operations/auto-provision.ts";
import type { Orchestration } from "./operations/orchestration.ts";
import { Readiness } from "./operations/readiness.ts";
import { reconcileFleet } from "./operations/reconcile-fleet.ts";
import { notifyServiceManager } from "./service-manager.ts";
import { startBanner } from "./start-banner.ts";
import { startBundledPostgres } from "./postgres/start-bundled-postgres.ts";
import { type Connection, isDatabaseAway, openDatabase } from "./store/database.ts";
import { EngineStates } from "./store/engine-states.ts";
import { migrateToLatest } from "./store/migrate.ts";
import { preparePorts } from "./store/ports.ts";
import { ProductDirectory } from "./store/product-directory.ts";

const CLOSE_DEADLINE_MS = 5000;

/** The daemon, from its environment to its end. Problems that an operator can mend are told in plain words. */
export async function run({ installDir }: { readonly installDir: string }): Promise<void> {
  const signal = shutdownSignal();
  const opened = new Releasers();
  try {
    const config = readConfig(process.env, process.getuid?.() ?? -1);
    await start(config, installDir, opened);
    const cause = await signal;
    process.stderr.write(`orchd stops on ${cause}; engines keep running\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${explain(error)}\n`);
  }
  await opened.release();
}

async function start(config: Config, installDir: string, opened: Releasers): Promise<void> {
  const startedAt = Date.now();
  const logger = createLogger("orchd", config.logLevel);
  const folder = await openDataFolder(config.dataDir, config);
  const database = await reachDatabase(config, { installDir, logger, opened });
  const { db, newClient } = openDatabase(database.connection, logger);
  opened.push(() => db.destroy());
  await migrateToLatest(db);
  const portRange = { hostId: folder.hostId, min: config.portMin, max: config.portMax };
  await preparePorts(db, portRange);

  const stopping = new AbortController();
  opened.push(() => stopping.abort());
  const directory = new ProductDirectory(db);
  await directory.listen(newClient, logger, stopping.signal);
  const o: Orchestration = {
    db,
    states: new EngineStates(db),
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
    bootQueue: new PQueue({ concurrency: config.bootConcurrency }),
    lanes: new SerialLanes(),
    box: new SealedBox(folder.secretKey),
    settings: { ...config, portRange, engineHost: config.host },
    now: Date.now,
    logger,
    stopping: stopping.signal,
  };
  const readiness = new Readiness(db);
  const server = await serve(o, { config, folder, readiness, startedAt });
  opened.push(() => server.close(CLOSE_DEADLINE_MS));
  const { adopted } = await reconcileFleet(o);
  readiness.enter("serving");
  opened.push(() => readiness.enter("stopping"));
  await notifyServiceManager(config.notifySocket, logger);
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${server.port}`;
  logger.info({ url, adopted, boot_ms: Date.now() - startedAt }, "ready");
  const { adminKeyFile } = folder;
  process.stderr.write(startBanner(config, { url, database: database.describe, adminKeyFile, adopted }));
}

async function reachDatabase(
  config: Config,
  { installDir, logger, opened }: { installDir: string; logger: Logger; opened: Releasers },
): Promise<{ readonly connection: Connection; readonly describe: string }> {
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseUrl }, describe: "PostgreSQL at DATABASE_URL" };
  }
  const bundled = await startBundledPostgres({ installDir, dataDir: config.dataDir, logger });
  opened.push(() => bundled.stop());
  return bundled;
}

function serve(
  o: Orchestration,
  {
    config,
    folder,
    readiness,
    startedAt,
  }: { config: Config; folder: DataFolder; readiness: Readiness; startedAt: number },
): Promise<ListeningServer> {
  const handlers: Readonly<Record<RouteName, Handler>> = {
    ...healthRoutes(readiness, startedAt),
    ...productRoutes(o),
    ...engineRoutes(o, new AutoProvision(o)),
    engineLogs: logsRoute(o),
  };
  const app = createApp(o, { handlers, adminKey: folder.adminKey, readiness, isDatabaseAway });
  return listen(app, config.host, config.port);
}

/** What went wrong, for the person at the terminal: the setting, what it was, what was expected. */
function explain(error: unknown): string {
  if (error instanceof InvalidSettings) {
    return ["orchd cannot start:", ...error.problems.map((problem) => `  ${problem}`)].join("\n");
  }
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
