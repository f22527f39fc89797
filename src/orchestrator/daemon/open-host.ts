import PQueue from "p-queue";
import { Alarm } from "../../shared/alarm.ts";
import { FairQueue } from "../../shared/fair-queue.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import { StallWatch } from "../../shared/stall-watch.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import { IdentityProvider } from "../identity/identity-provider.ts";
import { LiveEngines } from "../fleet/live-engines.ts";
import type { Fleet, HostContext, InFlight, Records, Runtime, Service, StartLimits } from "../host-context.ts";
import { IdempotencyLimit } from "../operations/idempotency-limit.ts";
import { Backups } from "../status/backups.ts";
import { EngineSampleStore } from "../status/engine-sample-store.ts";
import type { Metrics } from "../status/metrics.ts";
import { KnowledgeEmbeddings } from "../status/knowledge-embeddings.ts";
import { Prices } from "../status/prices.ts";
import { Sessions } from "../status/sessions.ts";
import { AllowedOrigins } from "../status/allowed-origins.ts";
import { IdentityTokens } from "../status/identity-tokens.ts";
import { UserTokens } from "../status/user-tokens.ts";
import type { HostLock } from "../store/host-lock.ts";
import { readHostFlags } from "../store/hosts.ts";
import type { PortRange } from "../store/ports.ts";
import type { SealedBox } from "../store/sealed-box.ts";
import { AwakeSlots } from "../supervision/awake-slots.ts";
import { BootQueue } from "../supervision/boot-queue.ts";
import { CallsInFlight } from "../supervision/calls-in-flight.ts";
import { createSupervisor } from "../supervision/create-supervisor.ts";
import { FleetBreaker, reportBreaker } from "../supervision/fleet-breaker.ts";
import { HookFailures } from "../status/hook-failures.ts";
import { HostCooldowns } from "../supervision/host-cooldowns.ts";
import { OpenRuns } from "../supervision/open-runs.ts";
import { RecentFailures } from "../supervision/recent-failures.ts";
import { RefreshesInFlight } from "../supervision/refreshes-in-flight.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import { TransitionOwners } from "../supervision/transition-owners.ts";
import { openBackend } from "./open-backend.ts";
import { takesHostPorts } from "./takes-host-ports.ts";
import { openBroker } from "./open-broker.ts";
import { type OpenRecords, type RecordsParts, openRecords } from "./open-records.ts";
import { openTelemetry } from "./open-telemetry.ts";
import type { ServiceManager } from "./service-manager.ts";

const MAX_PROBES = 32;
/** Half of the connections to the database. */
const MAX_DESTROYS = 10;
const PORT_REUSE_DELAY_S = 60;

interface HostParts extends RecordsParts {
  readonly metrics: Metrics;
  readonly isolation: HostIsolation;
  readonly serviceManager: ServiceManager;
}

export interface OpenHost extends Omit<OpenRecords, "records"> {
  readonly host: HostContext;
  readonly lock: HostLock;
}

/** Opens what the operations need once this daemon holds the host, part by part. Null when the daemon stops first. */
export async function openHost(parts: HostParts): Promise<OpenHost | null> {
  const { config, folder } = parts;
  const { hostId } = folder;
  const portRange = {
    hostId,
    min: config.portMin,
    max: config.portMax,
    reuseDelayS: PORT_REUSE_DELAY_S,
    isUsed: takesHostPorts(config),
  };
  const opened = await openRecords(parts, portRange);
  if (opened === null) return null;
  const { records, ...more } = opened;
  const runtime = openRuntime(parts, portRange);
  const limits = openStartLimits(parts, records);
  const host: HostContext = {
    ...records,
    ...(await openFleet(parts, { box: records.box, limits, supervisor: createSupervisor(() => host) })),
    ...openInFlight(),
    ...limits,
    ...(await openService(parts, records)),
    ...runtime,
  };
  return { host, lock: records.leadership, ...more };
}

const openRuntime = (parts: HostParts, portRange: PortRange): Runtime => ({
  settings: { ...parts.config, portRange, engineHost: parts.config.host },
  prices: new Prices(parts.config.prices.file, parts.config.prices.table),
  now: Date.now,
  logger: parts.logger,
  ...openTelemetry(parts),
  stopping: parts.stopping,
});

const openStartLimits = (
  { config, logger }: HostParts,
  { db, events }: Pick<Records, "db" | "events">,
): StartLimits => ({
  awakeSlots: new AwakeSlots(config.maxAwake),
  bootQueue: new BootQueue(config.bootConcurrency),
  breaker: new FleetBreaker((transition) => reportBreaker({ db, events, logger }, transition)),
});

async function openFleet(
  parts: HostParts,
  {
    box,
    limits: { awakeSlots, bootQueue },
    supervisor,
  }: { readonly box: SealedBox; readonly limits: StartLimits; readonly supervisor: Supervisor },
): Promise<Fleet> {
  const live = new LiveEngines();
  const stalls = new StallWatch();
  parts.resources.push(() => stalls.stop());
  const { hostId } = parts.folder;
  const sparesFitting = () => awakeSlots.room(live.ids());
  return {
    backend: await openBackend({ ...parts, hostId, bootQueue, sparesFitting, box }),
    isolation: parts.isolation,
    broker: await openBroker(parts),
    live,
    cooldowns: new HostCooldowns(),
    hookFailures: new HookFailures(),
    supervisor,
    probes: new PQueue({ concurrency: MAX_PROBES }),
    stalls,
    samples: new EngineSampleStore(Date.now()),
  };
}

const openInFlight = (): InFlight => ({
  boots: new Map(),
  wakes: new Map(),
  calls: new CallsInFlight(),
  transitions: new TransitionOwners(),
  runs: new OpenRuns(),
  lanes: new SerialLanes(),
  embeddings: new KnowledgeEmbeddings(),
  refreshes: new RefreshesInFlight(),
});

async function openService({ config, folder, readiness }: HostParts, records: Records): Promise<Service> {
  const { db } = records;
  Object.assign(readiness, await readHostFlags(db, folder.hostId));
  return {
    sessions: new Sessions(db, Date.now),
    userTokens: new UserTokens({ ...records, now: Date.now }),
    identityTokens: new IdentityTokens({ ...records, now: Date.now }),
    allowedOrigins: new AllowedOrigins(records),
    identity: config.consoleOidc === null ? null : new IdentityProvider(config.consoleOidc),
    readiness,
    idempotencyLimit: new IdempotencyLimit(),
    destroys: new PQueue({ concurrency: MAX_DESTROYS, queueClass: FairQueue }),
    failures: new RecentFailures(),
    backups: new Backups(config.backup, folder.hostId),
    alarm: new Alarm(),
    notified: new Alarm(),
  };
}
