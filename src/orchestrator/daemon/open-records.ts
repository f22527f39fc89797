import { delay } from "../../shared/clock.ts";
import { backgroundSettled, inBackground } from "../../shared/background.ts";
import { InvalidSettings } from "../../shared/environment.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Releasers } from "../../shared/releasers.ts";
import type { Records } from "../host-context.ts";
import { DAEMON_ROLE } from "../postgres/server-session.ts";
import { SecretValues } from "../secrets/secret-values.ts";
import { UNPROTECTED_AUDIT } from "../status/host-status.ts";
import type { Readiness } from "../status/readiness.ts";
import { type Db, type OpenDatabase, databaseAnswers, openDatabase } from "../store/database.ts";
import { EngineStates } from "../store/engine-states.ts";
import { EnginesOfUsers } from "../store/engines-of-users.ts";
import { EventLog } from "../store/events.ts";
import { listOtherBackends } from "../store/host-engines.ts";
import { type HostLock, type HostTakenOver, holdHost } from "../store/host-lock.ts";
import type { Leader } from "../store/leaders.ts";
import { grantDaemonPrivileges, mayRewriteAudit, migrateToLatest } from "../store/migrate.ts";
import { type PortRange, TooFewPorts, preparePorts } from "../store/ports.ts";
import { ProductDirectory } from "../store/product-directory.ts";
import { SealedBox } from "../store/sealed-box.ts";
import type { Config } from "./config.ts";
import type { DataFolder } from "./data-folder.ts";
import { hostNetworkId } from "./host-network-id.ts";
import { type ReachableDatabase, locateDatabase } from "./locate-database.ts";

const SERVER_CHECK_MS = 3000;
const SERVER_PING_MS = 2000;
/** How long the stop waits for background work. The next leader finishes what takes longer. */
const SETTLE_MS = 2000;

export interface RecordsParts {
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
  /** Called with a connection that is open while this daemon waits. */
  readonly onConnected?: (database: Pick<OpenDatabase, "db" | "newClient">) => void;
  /** The URL at which this daemon serves other replicas once it leads. Null: none. */
  readonly leaderUrl: string | null;
}

export interface OpenRecords {
  readonly records: Records & { readonly leadership: HostLock };
  readonly leader: Leader;
  /** The description of the database for the start-up output. */
  readonly database: string;
}

/** Opens the migrated database once this daemon holds the host. Null when the daemon stops first. */
export async function openRecords(parts: RecordsParts, portRange: PortRange): Promise<OpenRecords | null> {
  const { config, folder, logger, readiness, resources, stopping } = parts;
  const { hostId } = folder;
  const database = await locateDatabase(parts);
  const waiting = openDatabase(database.connection, logger);
  resources.push(waiting.close);
  if (database.ensureRunning !== undefined)
    inBackground("watch of PostgreSQL", restartServerUntilStopped(waiting.db, database.ensureRunning, parts));
  readiness.watch(waiting.db);
  parts.onConnected?.(waiting);
  const { newClient } = waiting;
  const hasReplicas = config.replicaUrl !== null;
  const lock = await holdHost({ newClient, hostId, logger, signal: stopping, hasReplicas }, parts);
  resources.push(() => lock?.release());
  if (lock === null || stopping.aborted) return null;
  await migrate(database, waiting.db, logger);
  const events = new EventLog(hostId);
  const leader = await lock.beginEpoch(events, { url: parts.leaderUrl, place: await hostNetworkId() });
  const { db, close } = openDatabase(database.connection, logger, { hostId, epoch: leader.epoch });
  resources.push(close);
  resources.push(async () => {
    const running = await backgroundSettled(SETTLE_MS);
    if (running.length > 0) logger.warn({ running }, "closing the database while background work uses it");
  });
  await assertOwnEngines(db, config, hostId);
  await preparePorts(db, portRange).catch((error: unknown) => {
    throw error instanceof TooFewPorts ? new InvalidSettings([error.message]) : error;
  });
  const directory = new ProductDirectory(db);
  await directory.listen(newClient, logger, stopping);
  const box = new SealedBox(folder.secretKey, folder.previousSecretKey);
  const records = {
    db,
    states: new EngineStates(db, events),
    awaited: new EnginesOfUsers(db),
    events,
    directory,
    leadership: lock,
    box,
    secrets: new SecretValues({ db, box }, config.secretSources),
  };
  return { records, leader, database: database.describe };
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
  { logger, stopping }: Pick<RecordsParts, "logger" | "stopping">,
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
