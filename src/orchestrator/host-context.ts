import type PQueue from "p-queue";
import type { Clock } from "../shared/clock.ts";
import type { Logger } from "../shared/logger.ts";
import type { SealedBox } from "./store/sealed-box.ts";
import type { SerialLanes } from "../shared/serial-lanes.ts";
import type { StallWatch } from "../shared/stall-watch.ts";
import type { EngineBackend } from "./fleet/engine-backend.ts";
import type { LiveEngines } from "./fleet/live-engines.ts";
import type { Db } from "./store/database.ts";
import type { EngineStates } from "./store/engine-states.ts";
import type { EventLog } from "./store/events.ts";
import type { PortRange } from "./store/ports.ts";
import type { ProductDirectory } from "./store/product-directory.ts";
import type { AnswerLimit } from "./operations/answer-limit.ts";
import type { BootQueue } from "./supervision/boot-queue.ts";
import type { FleetBreaker } from "./supervision/fleet-breaker.ts";
import type { Metrics } from "./status/metrics.ts";
import type { TransitionOwners } from "./supervision/transition-owners.ts";
import type { Readiness } from "./status/readiness.ts";
import type { RecentFailures } from "./supervision/recent-failures.ts";

/** What every operation is given: the rooms it joins, made once by the composition root. */
export interface HostContext {
  readonly db: Db;
  readonly states: EngineStates;
  readonly events: EventLog;
  readonly directory: ProductDirectory;
  readonly backend: EngineBackend;
  /** The processes this daemon looks after, by engine. */
  readonly live: LiveEngines;
  /** Boots in flight, by engine: at most one each. */
  readonly boots: Map<string, BootInFlight>;
  /** Who brings engines in transient states to rest. */
  readonly transitions: TransitionOwners;
  /** Bounds how many engines start at once. */
  readonly bootQueue: BootQueue;
  /** Pauses restarts while the whole fleet fails. */
  readonly breaker: FleetBreaker;
  readonly failures: RecentFailures;
  /** Bounds what is stored for repeated calls. */
  readonly answerLimit: AnswerLimit;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Bounds how many health probes are in flight. */
  readonly probes: PQueue;
  /** Tells what was timed while this process did not run. */
  readonly stalls: StallWatch;
  /** Orders what must not overlap for one engine. */
  readonly lanes: SerialLanes;
  readonly box: SealedBox;
  readonly settings: HostSettings;
  readonly now: Clock;
  readonly logger: Logger;
  /** Aborted when the daemon stops: supervision ends, engines go on. */
  readonly stopping: AbortSignal;
}

export interface BootInFlight {
  /** Ends the boot; its process is stopped before `settled`. */
  abort(reason: string): void;
  readonly settled: Promise<unknown>;
}

export interface HostSettings {
  readonly portRange: PortRange;
  /** Where engines listen. */
  readonly engineHost: string;
  readonly dataDir: string;
  readonly bootTimeoutMs: number;
  readonly healthIntervalMs: number;
  /** `LLM_*` and the like of the daemon's own environment: what engines get unless their product says otherwise. */
  readonly engineDefaults: Readonly<Record<string, string>>;
  readonly extraCaCerts: string | null;
}
