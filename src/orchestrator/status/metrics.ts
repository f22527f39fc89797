import { Counter, Gauge, Histogram, type Metric, Registry, collectDefaultMetrics } from "prom-client";
import { ENGINE_METRICS, type EngineMetricName } from "../../contract/engine/metrics.ts";
import { ENGINE_STATES, type HostStatus } from "../../contract/orchestrator/requests.ts";
import { ORCHESTRATOR_EVENTS, type EventType } from "../../contract/orchestrator/event-types.ts";
import { plainText } from "../../contract/meaning.ts";
import { MICRO } from "../../contract/micro-units.ts";
import { CLAIM_OUTCOMES, type SparesReport } from "../../contract/orchestrator/spares-report.ts";
import type { ModelBroker } from "../fleet/broker/model-broker.ts";
import { EngineTotals } from "./engine-totals.ts";
import { DAEMON_METRICS } from "./metric-rows.ts";
import { countDescriptors } from "./open-descriptors.ts";
import type { Replica } from "./replica-role.ts";

const MIB = 1_048_576;
const BOOT_BUCKETS_S = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];

/** A gauge of the default metrics, which would list the descriptors to count them. */
const OPEN_FDS = "orch_process_open_fds";
const openFds = () =>
  new Gauge({
    name: OPEN_FDS,
    help: "Number of open file descriptors.",
    registers: [],
    collect() {
      this.set(countDescriptors());
    },
  });

type MetricName = keyof typeof DAEMON_METRICS;
type NameOf<Kind> = {
  [Name in MetricName]: (typeof DAEMON_METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];
type LabelOf<Name extends MetricName> = (typeof DAEMON_METRICS)[Name]["labels"][number];

/** What a product has spent on this UTC day. */
export interface ProductCost {
  readonly product: string;
  /** Null without a price table. */
  readonly currency: string | null;
  readonly costMicros: number;
  readonly unpricedTokens: number;
}

/** How many engines of this host have a plan. */
export interface PlanEngines {
  readonly product: string;
  readonly plan: string;
  readonly engines: number;
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
  readonly broker: Pick<ModelBroker, "report" | "restarts"> | null;
  readonly awake: { readonly limit: number | null; readonly engineMb: number };
  readonly host: HostStatus | null;
  /** Of this UTC day. */
  readonly costs: readonly ProductCost[];
  readonly plans: readonly PlanEngines[];
}

/** The daemon's Prometheus metrics. No label names a user or an engine. */
export class Metrics {
  readonly #replica: Pick<Replica, "leads" | "changes">;
  readonly #registry = new Registry();
  readonly bootSeconds = this.#histogram("orch_boot_seconds");
  /** Trace spans of the daemon. */
  readonly spans = this.#counter("orch_daemon_spans_total");
  /** The metrics that engines report. */
  readonly engines = new EngineTotals();
  readonly wakes = this.#counter("orch_wakes_total");
  readonly gatewayCalls = this.#counter("orch_gateway_calls_total");
  readonly replicaCalls = this.#counter("orch_replica_calls_total");
  readonly wakeSeconds = this.#histogram("orch_wake_seconds");
  readonly scheduledRuns = this.#counter("orch_scheduled_runs_total");
  readonly webhookCalls = this.#counter("orch_webhook_calls_total");
  readonly toolHookCalls = this.#counter("orch_tool_hook_calls_total");
  readonly toolHookSeconds = this.#histogram("orch_tool_hook_seconds");
  readonly notifications = this.#counter("orch_notifications_total");
  readonly consoleSignIns = this.#counter("orch_console_sign_ins_total");
  readonly loginRefreshes = this.#counter("orch_login_refreshes_total");
  readonly catalogReloads = this.#counter("orch_catalog_reloads_total");
  readonly #engines = this.#gauge("orch_engines");
  readonly #planEngines = this.#gauge("orch_plan_engines");
  readonly #ports = this.#gauge("orch_ports");
  readonly #boots = this.#gauge("orch_boots");
  readonly #spares = this.#gauge("orch_spares");
  readonly #spareClaims = this.#counter("orch_spare_claims_total");
  readonly #awakeLimit = this.#gauge("orch_awake_limit");
  readonly #engineMemory = this.#gauge("orch_awake_engine_bytes");
  readonly #database = this.#gauge("orch_database_up");
  readonly #leads = this.#gauge("orch_leader");
  readonly #leaderChanges = this.#counter("orch_leader_changes_total");
  readonly #draining = this.#gauge("orch_draining");
  readonly #breaker = this.#gauge("orch_breaker_open");
  readonly #orphans = this.#gauge("orch_orphans");
  readonly #brokerCalls = this.#counter("orch_broker_calls_total");
  readonly #brokerToolCalls = this.#counter("orch_broker_tool_calls_total");
  readonly #brokerMisuses = this.#counter("orch_broker_misuses_total");
  readonly #brokerOpen = this.#gauge("orch_broker_open_calls");
  readonly #brokerRestarts = this.#counter("orch_broker_restarts_total");
  readonly #diskFree = this.#gauge("orch_disk_free_bytes");
  readonly #events = this.#counter("orch_events_total");

  readonly #backups = this.#counter("orch_backups_total");
  readonly #cost = this.#gauge("orch_cost_today");
  readonly #unpriced = this.#gauge("orch_unpriced_tokens_today");
  readonly #newestBackup = this.#gauge("orch_backup_newest_timestamp_seconds");

  constructor(replica: Pick<Replica, "leads" | "changes"> = { leads: true, changes: 0 }) {
    this.#replica = replica;
    // The event loop is sampled every 100 ms. At the default 10 ms it costs more CPU than an idle fleet.
    collectDefaultMetrics({ register: this.#registry, prefix: "orch_", eventLoopMonitoringPrecision: 100 });
    this.#registry.removeSingleMetric(OPEN_FDS);
    this.#registry.registerMetric(openFds());
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
    broker,
    awake,
    draining,
    breakerOpen,
    starting,
    waiting,
    host,
    costs,
    plans,
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
    this.#setBroker(broker);
    this.#awakeLimit.set(awake.limit ?? 0);
    this.#engineMemory.set(awake.engineMb * MIB);
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
    this.#planEngines.reset();
    for (const { product, plan, engines } of plans) this.#planEngines.set({ product, plan }, engines);
    if (host !== null) {
      for (const state of ENGINE_STATES) this.#engines.set({ state }, host.engines[state]);
      const { ports } = host;
      if (ports !== null)
        for (const use of ["taken", "free", "resting", "quarantined"] as const) this.#ports.set({ use }, ports[use]);
      const { newest_at: newest } = host.backup;
      this.#newestBackup.set(newest === null ? 0 : Date.parse(newest) / 1000);
      this.#orphans.set(host.orphans.length);
      this.#diskFree.set(host.load.disk_free_mb * MIB);
    }
    return this.#text();
  }

  #setBroker(broker: Observations["broker"]): void {
    const report = broker?.report() ?? null;
    this.#brokerOpen.set(report?.open_calls ?? 0);
    this.#brokerRestarts.reset();
    this.#brokerRestarts.inc(broker?.restarts ?? 0);
    this.#brokerCalls.reset();
    for (const [name, count] of Object.entries(report?.calls ?? {})) {
      const [provider = "", outcome = ""] = name.split(" ");
      this.#brokerCalls.inc({ provider, outcome }, count);
    }
    this.#brokerToolCalls.reset();
    for (const [name, count] of Object.entries(report?.tool_calls ?? {})) {
      const [kind = "", outcome = ""] = name.split(" ");
      this.#brokerToolCalls.inc({ kind, outcome }, count);
    }
    this.#brokerMisuses.reset();
    for (const [reason, count] of Object.entries(report?.misuses ?? {})) this.#brokerMisuses.inc({ reason }, count);
  }

  /** Registers a metric by its lines, since prom-client's own counters cannot be set from outside. */
  #registerTotals(name: EngineMetricName): void {
    const { kind: type } = ENGINE_METRICS[name];
    const help = plainText(ENGINE_METRICS[name].help);
    const get = async () => ({ name, help, type, values: this.engines.lines(name) });
    this.#registry.registerMetric({ name, help, type, get } as unknown as Metric);
  }

  #counter<Name extends NameOf<"counter">>(name: Name): Counter<LabelOf<Name>> {
    return new Counter(this.#described(name));
  }

  #gauge<Name extends NameOf<"gauge">>(name: Name): Gauge<LabelOf<Name>> {
    return new Gauge(this.#described(name));
  }

  #histogram<Name extends NameOf<"histogram">>(name: Name): Histogram<LabelOf<Name>> {
    return new Histogram({ ...this.#described(name), buckets: BOOT_BUCKETS_S });
  }

  #described<Name extends MetricName>(name: Name) {
    const { labels, help } = DAEMON_METRICS[name];
    const labelNames = labels as readonly LabelOf<Name>[];
    return { name, help: plainText(help), labelNames: [...labelNames], registers: [this.#registry] };
  }
}
