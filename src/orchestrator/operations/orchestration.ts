import type PQueue from "p-queue";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/logger.ts";
import type { SealedBox } from "../../kit/sealed-box.ts";
import type { SerialLanes } from "../../kit/serial-lanes.ts";
import type { StallWatch } from "../../kit/stall-watch.ts";
import type { EngineBackend } from "../fleet/engine-backend.ts";
import type { LiveEngines } from "../fleet/live-engines.ts";
import type { Db } from "../store/database.ts";
import type { EngineStates } from "../store/engine-states.ts";
import type { EventLog } from "../store/events.ts";
import type { PortRange } from "../store/ports.ts";
import type { ProductDirectory } from "../store/product-directory.ts";
import type { AnswerLimit } from "./answer-limit.ts";
import type { BootQueue } from "./boot-queue.ts";
import type { FleetBreaker } from "./fleet-breaker.ts";
import type { Metrics } from "./metrics.ts";
import type { Owners } from "./owners.ts";
import type { Readiness } from "./readiness.ts";
import type { RecentFailures } from "./recent-failures.ts";

/** What every operation is given: the rooms it joins, made once by the composition root. */
export interface Orchestration {
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
  readonly owners: Owners;
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
  readonly settings: OrchestrationSettings;
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

export interface OrchestrationSettings {
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
