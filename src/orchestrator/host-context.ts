import type PQueue from "p-queue";
import type { Alarm } from "../shared/alarm.ts";
import type { Clock } from "../shared/clock.ts";
import type { FairOptions, FairQueue } from "../shared/fair-queue.ts";
import type { TracingSettings } from "../shared/tracing/otlp-tracer.ts";
import type { Tracer } from "../shared/tracing/span.ts";
import type { Logger } from "../shared/logger.ts";
import type { SealedBox } from "./store/sealed-box.ts";
import type { SecretValues } from "./secrets/secret-values.ts";
import type { SerialLanes } from "../shared/serial-lanes.ts";
import type { StallWatch } from "../shared/stall-watch.ts";
import type { EngineBackend } from "./fleet/engine-backend.ts";
import type { IdentityProvider } from "./identity/identity-provider.ts";
import type { ModelBroker } from "./fleet/broker/model-broker.ts";
import type { HostIsolation } from "./fleet/isolation/host-isolation.ts";
import type { LiveEngines } from "./fleet/live-engines.ts";
import type { Db } from "./store/database.ts";
import type { UidRange } from "./store/engine-users.ts";
import type { EnginesOfUsers } from "./store/engines-of-users.ts";
import type { EngineStates } from "./store/engine-states.ts";
import type { EventLog } from "./store/events.ts";
import type { Leadership } from "./store/host-lock.ts";
import type { PortRange } from "./store/ports.ts";
import type { ProductDirectory } from "./store/product-directory.ts";
import type { IdempotencyLimit } from "./operations/idempotency-limit.ts";
import type { AwakeSlots } from "./supervision/awake-slots.ts";
import type { CallsInFlight } from "./supervision/calls-in-flight.ts";
import type { BootQueue } from "./supervision/boot-queue.ts";
import type { HostCooldowns } from "./supervision/host-cooldowns.ts";
import type { FleetBreaker } from "./supervision/fleet-breaker.ts";
import type { Backups } from "./status/backups.ts";
import type { Prices } from "./status/prices.ts";
import type { Metrics } from "./status/metrics.ts";
import type { AllowedOrigins } from "./status/allowed-origins.ts";
import type { Sessions } from "./status/sessions.ts";
import type { IdentityTokens } from "./status/identity-tokens.ts";
import type { UserTokens } from "./status/user-tokens.ts";
import type { EngineSampleStore } from "./status/engine-sample-store.ts";
import type { RefreshesInFlight } from "./supervision/refreshes-in-flight.ts";
import type { TransitionOwners } from "./supervision/transition-owners.ts";
import type { Supervisor, WakeOutcome } from "./supervision/supervisor.ts";
import type { KnowledgeEmbeddings } from "./status/knowledge-embeddings.ts";
import type { HookFailures } from "./status/hook-failures.ts";
import type { Readiness } from "./status/readiness.ts";
import type { OpenRuns } from "./supervision/open-runs.ts";
import type { RecentFailures } from "./supervision/recent-failures.ts";

/** The records of this host. */
export interface Records {
  readonly db: Db;
  readonly states: EngineStates;
  /** Look-ups of engines for calls that wait, of which there may be a thousand. */
  readonly awaited: EnginesOfUsers;
  readonly events: EventLog;
  readonly directory: ProductDirectory;
  readonly leadership: Leadership;
  readonly box: SealedBox;
  /** The values of the vault. */
  readonly secrets: SecretValues;
}

/** The engines of this host, and what runs them. */
export interface Fleet {
  readonly backend: EngineBackend;
  readonly isolation: HostIsolation;
  /** Holds the keys of providers. Null where engines still hold them. */
  readonly broker: ModelBroker | null;
  /** The processes that this daemon supervises, by engine. */
  readonly live: LiveEngines;
  readonly supervisor: Supervisor;
  /** The models that fail for them. */
  readonly cooldowns: HostCooldowns;
  /** Limits concurrent health probes. */
  readonly probes: PQueue;
  /** Detects periods in which this process was stalled. */
  readonly stalls: StallWatch;
  /** What the engines used in the last hour. */
  readonly samples: EngineSampleStore;
  /** The hooks on tools that fail. */
  readonly hookFailures: HookFailures;
}

/** What is in flight for engines. */
export interface InFlight {
  /** Boots by engine, at most one each. */
  readonly boots: Map<string, BootInFlight>;
  /** Wakes by engine, at most one each. */
  readonly wakes: Map<string, Promise<WakeOutcome>>;
  /** The calls that the gateway has sent and that are not answered. */
  readonly calls: CallsInFlight;
  /** The engines whose transition an operation is finishing. */
  readonly transitions: TransitionOwners;
  /** The runs of schedules and webhooks that have not ended. */
  readonly runs: OpenRuns;
  /** Serializes the operations of one engine. */
  readonly lanes: SerialLanes;
  /** The vectors of products' documents. */
  readonly embeddings: KnowledgeEmbeddings;
  /** Of tokens for tool servers. */
  readonly refreshes: RefreshesInFlight;
}

/** What limits the starts of engines. */
export interface StartLimits {
  /** Limits the engines that are awake. */
  readonly awakeSlots: AwakeSlots;
  /** Limits concurrent boots. */
  readonly bootQueue: BootQueue;
  /** Pauses restarts while many engines fail. */
  readonly breaker: FleetBreaker;
}

/** What serves calls of the API and due times. */
export interface Service {
  /** Of the console. */
  readonly sessions: Sessions;
  /** Of end users. */
  readonly userTokens: UserTokens;
  readonly identityTokens: IdentityTokens;
  readonly allowedOrigins: AllowedOrigins;
  /** With which people sign in to the console. Null without. */
  readonly identity: IdentityProvider | null;
  readonly readiness: Readiness;
  /** Limits the responses stored for idempotency keys. */
  readonly idempotencyLimit: IdempotencyLimit;
  /** Limits how many engines are destroyed at once with their products. */
  readonly destroys: PQueue<FairQueue, FairOptions>;
  readonly failures: RecentFailures;
  readonly backups: Backups;
  /** Rung when a due time may have come closer. */
  readonly alarm: Alarm;
  /** Rung when a notification may be due. */
  readonly notified: Alarm;
}

/** What every part of the daemon may use. */
export interface Runtime {
  readonly settings: HostSettings;
  readonly prices: Prices;
  readonly now: Clock;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly metrics: Metrics;
  /** Aborted when the daemon stops. Supervision ends and engines keep running. */
  readonly stopping: AbortSignal;
}

/** What reads, changes and ends engines. */
export type EngineHost = Records & Fleet & InFlight & Runtime;
/** What starts engines. Others start them by `supervisor`. */
export type StartingHost = EngineHost & StartLimits;

/** The dependencies of the operations, opened once by `daemon/open-host.ts`. Each operation takes the parts or members it uses. */
export interface HostContext extends Records, Fleet, InFlight, StartLimits, Service, Runtime {}

export interface BootInFlight {
  readonly incarnation: string;
  /** Cancels the boot. Its process is stopped before `settled`. */
  abort(reason: string): void;
  readonly settled: Promise<unknown>;
}

interface HostSettings {
  readonly portRange: PortRange;
  /** The user ids of engines, where they have their own. */
  readonly engineUids: UidRange;
  /** The address that engines listen on. */
  readonly engineHost: string;
  /** The base of engines' addresses through the gateway. Null: they are called at their own ports. */
  readonly publicUrl: string | null;
  /** Whether the broker is the way of tools to what they may connect to. */
  readonly isBrokerEgress: boolean;
  /** The daemon's own. */
  readonly port: number;
  readonly dataDir: string;
  readonly bootTimeoutMs: number;
  /** Versions of a product's catalog that are stored. */
  readonly catalogVersions: number;
  readonly healthIntervalMs: number;
  /** Engine settings of the daemon's environment, such as `LLM_*`. A product's `engine_env` overrides them. */
  readonly engineDefaults: Readonly<Record<string, string>>;
  /** A file of further certificates of authorities. */
  readonly extraCaCerts: string | null;
  /** Where engines send their spans. Null: they trace nothing. */
  readonly tracing: TracingSettings | null;
  /** The settings of the environment as they may be shown. */
  readonly shownSettings: Readonly<Record<string, string>>;
}
