import type { ProviderName } from "../../contract/settings/model-name.ts";
import type { Upstream } from "../../contract/settings/upstreams.ts";
import type { CountedEngine } from "../../contract/engine/metrics.ts";
import type { EmbeddingsHealth } from "../../contract/engine/health.ts";
import type { UsageCursor } from "../../contract/engine/metered-usage.ts";
import type { EngineLayers } from "../../contract/orchestrator/engine-policy.ts";
import type { Suspension } from "../../contract/orchestrator/policy.ts";
import type { AwakeReason } from "../../contract/engine/sleep.ts";
import type { EngineProcess, LaunchOrder } from "./engine-backend.ts";

/** The order of an engine, and what only the daemon knows of it. */
export interface SupervisedOrder extends LaunchOrder {
  /** The providers that the engine can call, with their keys. */
  readonly upstreams: ReadonlyMap<ProviderName, Upstream>;
}

/** The in-memory state of a supervised engine process. The next daemon rebuilds it. */
export interface LiveEngine {
  readonly id: string;
  readonly productId: string;
  readonly incarnation: string;
  readonly url: string;
  readonly controlToken: string;
  readonly process: EngineProcess;
  /** What decides about it before its product's policy. */
  layers: EngineLayers;
  /** Its budgets may have changed since it was told. */
  isBudgetDue: boolean;
  /** The current launch order, for a restart without the database. */
  order: SupervisedOrder;
  /** The restart history at the start of this incarnation. The window is in milliseconds since the epoch. */
  readonly restarts: { readonly count: number; readonly windowStartedAt: number | null };
  /** A stop or a destroy is running, so the exit is expected. */
  isStopping: boolean;
  /** Why the daemon stops it for a restart, or null. */
  stopCause: string | null;
  /** When this daemon began to supervise it, on the monotonic clock. */
  readonly supervisedAt: number;
  /** Milliseconds since the epoch. */
  readonly healthySince: number;
  lastOkAt: number;
  consecutiveFailures: number;
  /** Settles when a sleep in progress has ended. Null without one. */
  fallingAsleep: Promise<void> | null;
  /** The health probe in flight. */
  probing: Promise<unknown> | null;
  /** Its last report of its work. */
  report: WorkReport | null;
  /** Running turns by its last health response; null before the first one. */
  activeTurns: number | null;
  /** The size of its folder in bytes, as last reported; null before it was measured. */
  diskBytes: number | null;
  /** The version of the product's catalog that it uses. */
  catalog: UsedCatalog;
  /** The version of the product's knowledge that it searches. */
  knowledge: UsedKnowledge;
  /** Null before the first sample. */
  usage: ProcessUsage | null;
  /** `last_active_at` as reported by the engine, and as stored. Milliseconds since the epoch. */
  lastActiveAt: number | null;
  lastActiveStored: number;
  /** How far its usage is collected; null before its ledger has anything. Undefined before the first read. */
  usageCursor: UsageCursor | null | undefined;
  /** The last of its notices of turns that is stored; 0 before this daemon has read any. */
  noticesRead: number;
  /** The revision of its open questions that is stored; null before this daemon has read any. */
  questionsRead: number | null;
  /** The budgets that it has, as JSON; null for none, undefined when an earlier daemon sent them. */
  budgetsSent: string | null | undefined;
  /** The suspension that it was told; undefined when an earlier daemon told it. */
  suspensionSent: Suspension | null | undefined;
  isRetryingSuspension: boolean;
  /** What it was told of models by its policy, as JSON; undefined when an earlier daemon told it. */
  modelsSent: string | undefined;
  /** What it was told of agents and tools by its policy, as JSON; undefined when an earlier daemon told it. */
  allowedSent: string | undefined;
  /** When the cooldowns of models end that it was told, on the monotonic clock. */
  cooldownsSent: ReadonlyMap<string, number>;
  readonly hook: FollowedHook;
  /** When a call of a model last failed, by its last health response; null for never. */
  modelFailedAt: string | null;
  /** Whether a call waits for a larger share of a budget. */
  waitsForBudget: boolean;
  /** When shares of other engines were last taken back for it, on the monotonic clock. */
  reclaimedAt: number;
  /** The notices of budgets that were written for it. */
  readonly noticed: Set<string>;
  /** What the metrics hold of this incarnation's counters; null before the first read. */
  counted: CountedEngine | null;
}

/** What binds an engine to its product's hook on tools. */
interface FollowedHook {
  /** What it was told, as JSON; undefined when an earlier daemon told it. */
  sent: string | undefined;
  /** Whether its calls are read. */
  isFollowed: boolean;
  /** It is of a release that knows no hook. */
  isUnsupported: boolean;
  /** The read of its calls in flight, which keeps it from falling asleep. */
  read: { abort(): void; readonly ended: Promise<unknown> } | null;
}

/** `at` and `idleSince` are of the monotonic clock: a change of the system's time must not keep engines awake. */
interface WorkReport {
  readonly at: number;
  readonly idleSince: number | null;
  readonly awake: readonly AwakeReason[];
  /** The `modelFailedAt` that it includes. */
  readonly modelFailedAt: string | null;
  /** Times of the engine, as ISO. */
  readonly shown: { readonly idle_since: string | null; readonly learning_due_at: string | null };
  /** How far its memory's vectors are. Null without an embeddings endpoint. */
  readonly embeddings: EmbeddingsHealth | null;
}

interface UsedCatalog {
  /** Null for an adopted process, until a version is sent to it. */
  readonly version: number | null;
  /** Why it does not use the current version, or null. */
  readonly error: string | null;
  /** The last try, on the monotonic clock. */
  readonly tried: { readonly version: number; readonly at: number };
}

interface UsedKnowledge {
  /** Null until it was told of one. */
  readonly version: number | null;
  /** The name of its file. */
  readonly digest: string | null;
  /** The last try, on the monotonic clock. */
  readonly tried: { readonly version: number | null; readonly digest: string | null; readonly at: number };
}

/** CPU and memory of an engine with its tools. */
interface ProcessUsage {
  /** Of one core, since the sample before; null in the first one. */
  readonly cpuPercent: number | null;
  readonly memoryBytes: number;
  /** Milliseconds since the epoch. */
  readonly sampledAt: number;
}

/** The processes that this daemon supervises, at most one per engine. */
export class LiveEngines {
  readonly #engines = new Map<string, LiveEngine>();

  add(engine: LiveEngine): void {
    this.#engines.set(engine.id, engine);
  }

  ids(): ReadonlySet<string> {
    return new Set(this.#engines.keys());
  }

  all(): readonly LiveEngine[] {
    return [...this.#engines.values()];
  }

  get(id: string): LiveEngine | undefined {
    return this.#engines.get(id);
  }

  /** Removes this incarnation of an engine. A later one stays. */
  remove(id: string, incarnation: string): void {
    if (this.#engines.get(id)?.incarnation === incarnation) this.#engines.delete(id);
  }
}
