import { Counter, Gauge, Histogram, type Metric, Registry, collectDefaultMetrics } from "prom-client";
import { ENGINE_METRICS, type EngineMetricName } from "../../contract/engine-metrics.ts";
import { ENGINE_STATES, type HostStatus } from "../../contract/orchestrator-api.ts";
import { ORCHESTRATOR_EVENTS, type EventType } from "../../contract/orchestrator-events.ts";
import { MICRO } from "../../contract/micro-units.ts";
import { CLAIM_OUTCOMES, type SparesReport } from "../../contract/spares-report.ts";
import { EngineTotals } from "./engine-totals.ts";
import type { Replica } from "./replica-role.ts";

const BOOT_BUCKETS_S = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];

/** What a product has spent on this UTC day. */
export interface ProductCost {
  readonly product: string;
  /** Null without a price table. */
  readonly currency: string | null;
  readonly costMicros: number;
  readonly unpricedTokens: number;
}

/** Values read when the metrics are scraped. */
interface Observations {
  readonly events: ReadonlyMap<EventType, number>;
  readonly draining: boolean;
  readonly breakerOpen: boolean;
  readonly starting: number;
  readonly waiting: number;
  readonly backups: Readonly<Record<"created" | "failed", number>>;
  readonly spares: SparesReport;
  readonly host: HostStatus | null;
  /** Of this UTC day. */
  readonly costs: readonly ProductCost[];
}

/** The daemon's Prometheus metrics. No label names a user or an engine. */
export class Metrics {
  readonly #replica: Pick<Replica, "leads" | "changes">;
  readonly #registry = new Registry();
  readonly bootSeconds = new Histogram({
    name: "orch_boot_seconds",
    help: "Duration of a boot, from the launch of the process to its outcome",
    labelNames: ["outcome"] as const,
    buckets: BOOT_BUCKETS_S,
    registers: [this.#registry],
  });
  /** Trace spans of the daemon. */
  readonly spans = new Counter({
    name: "orch_daemon_spans_total",
    help: "Trace spans of the daemon",
    labelNames: ["outcome"] as const,
    registers: [this.#registry],
  });
  /** The metrics that engines report. */
  readonly engines = new EngineTotals();
  readonly wakes = new Counter({
    name: "orch_wakes_total",
    help: "Wakes of sleeping engines, by what woke them and how it ended",
    labelNames: ["reason", "outcome"] as const,
    registers: [this.#registry],
  });
  readonly gatewayCalls = new Counter({
    name: "orch_gateway_calls_total",
    help: "Calls of engines through the daemon, by how they ended",
    labelNames: ["outcome"] as const,
    registers: [this.#registry],
  });
  readonly replicaCalls = new Counter({
    name: "orch_replica_calls_total",
    help: "Calls that this daemon passed on to the leader, by how they ended",
    labelNames: ["outcome"] as const,
    registers: [this.#registry],
  });
  readonly wakeSeconds = new Histogram({
    name: "orch_wake_seconds",
    help: "Duration of a wake, from the call to the running engine",
    buckets: BOOT_BUCKETS_S,
    registers: [this.#registry],
  });
  readonly scheduledRuns = new Counter({
    name: "orch_scheduled_runs_total",
    help: "Runs of schedules and webhooks that ended",
    labelNames: ["product", "trigger", "outcome"] as const,
    registers: [this.#registry],
  });
  readonly webhookCalls = new Counter({
    name: "orch_webhook_calls_total",
    help: "Messages that were sent to webhooks",
    labelNames: ["outcome"] as const,
    registers: [this.#registry],
  });
  readonly catalogReloads = new Counter({
    name: "orch_catalog_reloads_total",
    help: "Reloads of products' catalogs by running engines, by how they ended",
    labelNames: ["outcome"] as const,
    registers: [this.#registry],
  });
  readonly #engines = this.#gauge("orch_engines", "Engines of this host", ["state"]);
  readonly #ports = this.#gauge("orch_ports", "Ports of the range", ["use"]);
  readonly #boots = this.#gauge("orch_boots", "Engines booting or waiting for a slot", ["stage"]);
  readonly #spares = this.#gauge("orch_spares", "Spares: processes that wait for the next starts of engines", [
    "state",
  ]);
  readonly #spareClaims = new Counter({
    name: "orch_spare_claims_total",
    help: "Starts of engines while spares are kept, by whether one was claimed",
    labelNames: ["outcome"] as const,
    registers: [this.#registry],
  });
  readonly #database = this.#gauge("orch_database_up", "1 while the database answers", []);
  readonly #leads = this.#gauge("orch_leader", "1 while this daemon leads", []);
  readonly #leaderChanges = new Counter({
    name: "orch_leader_changes_total",
    help: "How often this daemon learnt that another one than before leads",
    registers: [this.#registry],
  });
  readonly #draining = this.#gauge("orch_draining", "1 while the host takes no new engines", []);
  readonly #breaker = this.#gauge("orch_breaker_open", "1 while restarts are paused because many engines fail", []);
  readonly #orphans = this.#gauge("orch_orphans", "Incarnations with processes but without a record", []);
  readonly #diskFree = this.#gauge("orch_disk_free_bytes", "Free space on the file system of the data folder", []);
  readonly #events = new Counter({
    name: "orch_events_total",
    help: "Events written since the daemon started",
    labelNames: ["type"] as const,
    registers: [this.#registry],
  });

  readonly #backups = new Counter({
    name: "orch_backups_total",
    help: "Backups that ended since the daemon started",
    labelNames: ["outcome"] as const,
    registers: [this.#registry],
  });
  readonly #cost = this.#gauge("orch_cost_today", "Cost of this UTC day so far, of the tokens that have a price", [
    "product",
    "currency",
  ]);
  readonly #unpriced = this.#gauge("orch_unpriced_tokens_today", "Tokens of this UTC day whose price is unknown", [
    "product",
  ]);
  readonly #newestBackup = this.#gauge("orch_backup_newest_timestamp_seconds", "Time of the newest backup", []);

  constructor(replica: Pick<Replica, "leads" | "changes"> = { leads: true, changes: 0 }) {
    this.#replica = replica;
    // The event loop is sampled every 100 ms. At the default 10 ms it costs more CPU than an idle fleet.
    collectDefaultMetrics({ register: this.#registry, prefix: "orch_", eventLoopMonitoringPrecision: 100 });
    for (const name of Object.keys(ENGINE_METRICS) as EngineMetricName[]) this.#registerTotals(name);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The metrics of a follower: those of its process, and of the calls through it. */
  ownText(hasDatabase: boolean): Promise<string> {
    this.#database.set(Number(hasDatabase));
    return this.#text();
  }

  #text(): Promise<string> {
    this.#leads.set(Number(this.#replica.leads));
    this.#leaderChanges.reset();
    this.#leaderChanges.inc(this.#replica.changes);
    return this.#registry.metrics();
  }

  /** The metrics in Prometheus's text format. `host` is null while the database is unavailable. */
  text({
    events,
    backups,
    spares,
    draining,
    breakerOpen,
    starting,
    waiting,
    host,
    costs,
  }: Observations): Promise<string> {
    this.#events.reset();
    for (const type of Object.keys(ORCHESTRATOR_EVENTS) as EventType[]) {
      this.#events.inc({ type }, events.get(type) ?? 0);
    }
    this.#backups.reset();
    for (const outcome of ["created", "failed"] as const) this.#backups.inc({ outcome }, backups[outcome]);
    this.#spareClaims.reset();
    for (const outcome of CLAIM_OUTCOMES) this.#spareClaims.inc({ outcome }, spares.claims[outcome]);
    for (const state of ["ready", "target"] as const) this.#spares.set({ state }, spares[state]);
    this.#draining.set(Number(draining));
    this.#breaker.set(Number(breakerOpen));
    this.#boots.set({ stage: "starting" }, starting);
    this.#boots.set({ stage: "waiting" }, waiting);
    this.#database.set(Number(host !== null));
    this.#cost.reset();
    this.#unpriced.reset();
    for (const { product, currency, costMicros, unpricedTokens } of costs) {
      if (currency !== null) this.#cost.set({ product, currency }, costMicros / MICRO);
      this.#unpriced.set({ product }, unpricedTokens);
    }
    if (host !== null) {
      for (const state of ENGINE_STATES) this.#engines.set({ state }, host.engines[state]);
      for (const use of ["taken", "free", "resting", "quarantined"] as const) this.#ports.set({ use }, host.ports[use]);
      const { newest_at: newest } = host.backup;
      this.#newestBackup.set(newest === null ? 0 : Date.parse(newest) / 1000);
      this.#orphans.set(host.orphans.length);
      this.#diskFree.set(host.load.disk_free_mb * 1_048_576);
    }
    return this.#text();
  }

  /** Registers a metric by its lines, since prom-client's own counters cannot be set from outside. */
  #registerTotals(name: EngineMetricName): void {
    const { kind: type, help } = ENGINE_METRICS[name];
    const get = async () => ({ name, help, type, values: this.engines.lines(name) });
    this.#registry.registerMetric({ name, help, type, get } as unknown as Metric);
  }

  #gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }
}
