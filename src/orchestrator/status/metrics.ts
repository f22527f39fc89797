import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { ENGINE_STATES, type HostStatus } from "../../contract/orchestrator-api.ts";
import { ORCHESTRATOR_EVENTS, type EventType } from "../../contract/orchestrator-events.ts";

const BOOT_BUCKETS_S = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];

/** What is asked for when the metrics are. */
export interface Observations {
  readonly events: ReadonlyMap<EventType, number>;
  readonly draining: boolean;
  readonly breakerOpen: boolean;
  readonly starting: number;
  readonly waiting: number;
  readonly host: HostStatus | null;
}

/** What this daemon measures, for Prometheus. No user, product or engine is in a label. */
export class Metrics {
  readonly #registry = new Registry();
  readonly bootSeconds = new Histogram({
    name: "orch_boot_seconds",
    help: "Time from the launch of an engine's process to the end of its boot",
    labelNames: ["outcome"] as const,
    buckets: BOOT_BUCKETS_S,
    registers: [this.#registry],
  });
  readonly #engines = this.#gauge("orch_engines", "Engines of this host", ["state"]);
  readonly #ports = this.#gauge("orch_ports", "Ports of the range", ["use"]);
  readonly #boots = this.#gauge("orch_boots", "Engines starting, and waiting for their turn", ["stage"]);
  readonly #draining = this.#gauge("orch_draining", "1 while the host takes no new engines", []);
  readonly #breaker = this.#gauge("orch_breaker_open", "1 while restarts pause because the fleet fails", []);
  readonly #orphans = this.#gauge("orch_orphans", "Lives of engines that run and that no record knows", []);
  readonly #diskFree = this.#gauge("orch_disk_free_bytes", "Free space below the data folder", []);
  readonly #events = new Counter({
    name: "orch_events_total",
    help: "Events written since the start of the daemon",
    labelNames: ["type"] as const,
    registers: [this.#registry],
  });

  constructor() {
    // The event loop is looked at ten times a second: a hundred times would cost more than all engines at rest.
    collectDefaultMetrics({ register: this.#registry, prefix: "orch_", eventLoopMonitoringPrecision: 100 });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything as text; `host` is null while the database cannot be asked. */
  text({ events, draining, breakerOpen, starting, waiting, host }: Observations): Promise<string> {
    this.#events.reset();
    for (const type of Object.keys(ORCHESTRATOR_EVENTS) as EventType[]) {
      this.#events.inc({ type }, events.get(type) ?? 0);
    }
    this.#draining.set(Number(draining));
    this.#breaker.set(Number(breakerOpen));
    this.#boots.set({ stage: "starting" }, starting);
    this.#boots.set({ stage: "waiting" }, waiting);
    if (host !== null) {
      for (const state of ENGINE_STATES) this.#engines.set({ state }, host.engines[state]);
      for (const use of ["taken", "free", "resting", "quarantined"] as const) this.#ports.set({ use }, host.ports[use]);
      this.#orphans.set(host.orphans.length);
      this.#diskFree.set(host.load.disk_free_mb * 1_048_576);
    }
    return this.#registry.metrics();
  }

  #gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }
}
