import PQueue from "p-queue";
import { Alarm } from "../../shared/alarm.ts";
import { delay } from "../../shared/clock.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import { InvalidSettings } from "../../shared/environment.ts";
import { SealedBox } from "../store/sealed-box.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import { StallWatch } from "../../shared/stall-watch.ts";
import type { Config } from "./config.ts";
import { openCatalogs } from "./open-catalogs.ts";
import { openBackend } from "./open-backend.ts";
import type { ServiceManager } from "./service-manager.ts";
import type { DataFolder } from "./data-folder.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import { ownPlace } from "./own-place.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { LiveEngines } from "../fleet/live-engines.ts";
import { IdempotencyLimit } from "../operations/idempotency-limit.ts";
import { AwakeSlots } from "../supervision/awake-slots.ts";
import { wakeWithAnswer } from "../supervision/wake-engine.ts";
import { BootQueue } from "../supervision/boot-queue.ts";
import { CallsInFlight } from "../supervision/calls-in-flight.ts";
import { FleetBreaker, reportBreaker } from "../supervision/fleet-breaker.ts";
import { UNPROTECTED_AUDIT } from "../status/host-status.ts";
import { Backups } from "../status/backups.ts";
import { Prices } from "../status/prices.ts";
import type { HostContext } from "../host-context.ts";
import type { Metrics } from "../status/metrics.ts";
import { TransitionOwners } from "../supervision/transition-owners.ts";
import type { Readiness } from "../status/readiness.ts";
import { Sessions } from "../status/sessions.ts";
import { EngineSampleStore } from "../status/engine-sample-store.ts";
import { OpenRuns } from "../supervision/open-runs.ts";
import { RecentFailures } from "../supervision/recent-failures.ts";
import { DAEMON_ROLE } from "../postgres/server-session.ts";
import { type ReachableDatabase, locateDatabase } from "./locate-database.ts";
import { grantDaemonPrivileges, mayRewriteAudit, migrateToLatest } from "../store/migrate.ts";
import { type Db, openDatabase, databaseAnswers } from "../store/database.ts";
import { EngineStates } from "../store/engine-states.ts";
import { EventLog } from "../store/events.ts";
import { type HostLock, type HostTakenOver, holdHost } from "../store/host-lock.ts";
import type { Leader } from "../store/leaders.ts";
import { isDraining } from "../store/hosts.ts";
import { listOtherBackends } from "../store/host-engines.ts";
import { preparePorts } from "../store/ports.ts";
import { ProductDirectory } from "../store/product-directory.ts";

const MAX_PROBES = 32;
const SERVER_CHECK_MS = 3000;
const SERVER_PING_MS = 2000;
const PORT_REUSE_DELAY_S = 60;

interface HostParts {
  readonly config: Config;
  readonly installDir: string;
  readonly folder: DataFolder;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly resources: Releasers;
  readonly stopping: AbortSignal;
  /** Called at each failed attempt to lock the host, which another daemon holds. */
  readonly onWait: (leader: Leader | null) => void;
  readonly onLoss: (error: HostTakenOver) => void;
  readonly metrics: Metrics;
  /** Called with a connection that is open while this daemon waits. */
  readonly onConnected?: (db: Db) => void;
  /** The URL at which this daemon serves other replicas once it leads. Null: none. */
  readonly leaderUrl: string | null;
  readonly isolation: HostIsolation;
  readonly serviceManager: ServiceManager;
}

export interface OpenHost {
  readonly host: HostContext;
  readonly lock: HostLock;
  readonly leader: Leader;
  /** The description of the database for the start-up output. */
  readonly database: string;
}

/**
 * Opens what the operations need once this daemon holds the host: the migrated database, the engine backend and the
 * supervision state. Null when the daemon stops first.
 */
export async function openHost(parts: HostParts): Promise<OpenHost | null> {
  const { config, folder, logger, readiness, resources, stopping } = parts;
  const database = await locateDatabase(parts);
  const waiting = openDatabase(database.connection, logger);
  resources.push(waiting.close);
  if (database.ensureRunning !== undefined) void restartServerUntilStopped(waiting.db, database.ensureRunning, parts);
  readiness.watch(waiting.db);
  parts.onConnected?.(waiting.db);
  const { newClient } = waiting;
  const { hostId } = folder;
  const hasReplicas = config.replicaUrl !== null;
  const lock = await holdHost({ newClient, hostId, logger, signal: stopping, hasReplicas }, parts);
  resources.push(() => lock?.release());
  if (lock === null || stopping.aborted) return null;
  await migrate(database, waiting.db, logger);
  const events = new EventLog(hostId);
  const leader = await lock.beginEpoch(events, { url: parts.leaderUrl, place: await ownPlace() });
  const { db, close } = openDatabase(database.connection, logger, { hostId, epoch: leader.epoch });
  resources.push(close);
  const portRange = { hostId, min: config.portMin, max: config.portMax, reuseDelayS: PORT_REUSE_DELAY_S };
  await assertOwnEngines(db, parts.config, hostId);
  await preparePorts(db, portRange);
  readiness.draining = await isDraining(db, hostId);
  const directory = new ProductDirectory(db);
  await directory.listen(newClient, logger, stopping);
  const stalls = new StallWatch();
  resources.push(() => stalls.stop());
  const bootQueue = new BootQueue(config.bootConcurrency);
  const box = new SealedBox(folder.secretKey);
  const host: HostContext = {
    db,
    events,
    states: new EngineStates(db, events),
    directory,
    sessions: new Sessions(db, Date.now),
    leadership: lock,
    isolation: parts.isolation,
    backend: await openBackend({ ...parts, hostId, bootQueue, catalogs: openCatalogs(parts, box) }),
    live: new LiveEngines(),
    boots: new Map(),
    wakes: new Map(),
    calls: new CallsInFlight(),
    awakeSlots: new AwakeSlots(config.maxAwake),
    wake: (engineId, reason) => void wakeWithAnswer(host, engineId, reason),
    runs: new OpenRuns(),
    alarm: new Alarm(Date.now),
    transitions: new TransitionOwners(),
    bootQueue,
    breaker: new FleetBreaker((transition) => reportBreaker({ db, events, logger }, transition)),
    failures: new RecentFailures(),
    idempotencyLimit: new IdempotencyLimit(),
    lanes: new SerialLanes(),
    probes: new PQueue({ concurrency: MAX_PROBES }),
    stalls,
    box,
    backups: new Backups(config.backup, hostId),
    prices: new Prices(config.prices.file, config.prices.table),
    readiness,
    samples: new EngineSampleStore(Date.now()),
    ...openTelemetry(parts),
    settings: { ...config, portRange, engineHost: config.host },
    now: Date.now,
    logger,
    stopping,
  };
  return { host, lock, leader, database: database.describe };
}

/** Throws `InvalidSettings` while engines of another backend run. */
async function assertOwnEngines(db: Db, { backend }: Config, hostId: string): Promise<void> {
  const others = await listOtherBackends(db, hostId, backend);
  if (others.length === 0) return;
  const problems = others.map(
    ({ name, engines }) =>
      `ORCH_BACKEND: the backend ${name} runs ${engines} engines; stop them first: ORCH_BACKEND=${name} orchd --stop-engines`,
  );
  throw new InvalidSettings(problems);
}

/** Migrates as the owner of the tables and grants the daemon's role its privileges. */
async function migrate({ owner }: ReachableDatabase, db: Db, logger: Logger): Promise<void> {
  if (owner === undefined) {
    await migrateToLatest(db);
    if (await mayRewriteAudit(db)) logger.warn(UNPROTECTED_AUDIT);
    return;
  }
  const asOwner = openDatabase(owner, logger);
  try {
    await migrateToLatest(asOwner.db);
    await grantDaemonPrivileges(asOwner.db, DAEMON_ROLE);
  } finally {
    await asOwner.close();
  }
}

/** Restarts the bundled server when it has stopped, until the daemon stops. */
async function restartServerUntilStopped(
  db: Db,
  ensureRunning: () => Promise<void>,
  { logger, stopping }: Pick<HostParts, "logger" | "stopping">,
): Promise<void> {
  while (await delay(SERVER_CHECK_MS, stopping)) {
    if (await databaseAnswers(db, SERVER_PING_MS)) continue;
    try {
      await ensureRunning();
    } catch (error) {
      logger.error({ err: error }, "failed to restart PostgreSQL");
    }
  }
}
