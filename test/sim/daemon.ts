import type { HostContext } from "../../src/orchestrator/host-context.ts";
import { NO_STORE } from "../../src/orchestrator/fleet/sockets/socket-store.ts";
import { readConfig } from "../../src/orchestrator/daemon/config.ts";
import { type OpenHost, openHost } from "../../src/orchestrator/daemon/open-host.ts";
import { reapOverdue } from "../../src/orchestrator/recovery/reap-overdue.ts";
import { reconcileFleet } from "../../src/orchestrator/recovery/reconcile-fleet.ts";
import { Metrics } from "../../src/orchestrator/status/metrics.ts";
import { Readiness } from "../../src/orchestrator/status/readiness.ts";
import { releaseInterruptedKeys } from "../../src/orchestrator/store/idempotency-keys.ts";
import { followModels } from "../../src/orchestrator/supervision/follow-models.ts";
import { followSuspensions } from "../../src/orchestrator/supervision/follow-suspensions.ts";
import type { Logger } from "../../src/shared/logger.ts";
import { Releasers } from "../../src/shared/releasers.ts";
import { inBackground } from "../../src/shared/background.ts";
import type { Actor } from "./kernel/scheduler.ts";
import { world } from "./kernel/world.ts";

export const HOST_ID = "host_1";
const HAND_OVER_MS = 1000;

/** How the daemons of a run are set up. */
export interface Setup {
  readonly ports: number;
  readonly maxAwake: number | null;
  readonly bootConcurrency: number;
  readonly healthIntervalS: number;
  /** Whether another daemon waits to lead. */
  readonly hasReplicas: boolean;
  /** Whether a service manager keeps sockets while no daemon runs. */
  readonly keepsSockets: boolean;
  /** Processes that are kept ready for launches. */
  readonly spares: number;
}

/** One life of a daemon: the product's own program from the lock of the host on, as `daemon/serve.ts` runs it. */
export class Daemon {
  readonly actor: Actor;
  readonly #setup: Setup;
  readonly #stopping = new AbortController();
  readonly #readiness = new Readiness();
  #opened: OpenHost | null = null;
  readonly #whenGone: (() => void)[] = [];

  constructor(name: string, setup: Setup) {
    this.actor = { name, isDead: false, isPaused: false };
    this.#setup = setup;
  }

  /** Null unless it serves calls. */
  get host(): HostContext | null {
    return this.#readiness.phase === "serving" && !this.actor.isDead ? (this.#opened?.host ?? null) : null;
  }

  start(): void {
    const { scheduler, note } = world();
    note(`${this.actor.name} starts`);
    scheduler.as(this.actor, () => {
      this.#serve().catch((error: unknown) => {
        note(`${this.actor.name} ends: ${String(error)}`);
        this.kill();
      });
    });
  }

  /** As SIGKILL does: the kernel closes its connections and descriptors. */
  kill(): void {
    if (this.actor.isDead) return;
    const { machine, postgres, note } = world();
    note(`${this.actor.name} is gone`);
    this.actor.isDead = true;
    machine.ended(this.actor);
    postgres.closeSessionsOf(this.actor);
    for (const run of this.#whenGone.splice(0)) run();
  }

  whenGone(run: () => void): void {
    this.#whenGone.push(run);
  }

  /** Stops as on SIGTERM: hands over and ends. */
  stop(): void {
    const { scheduler, note } = world();
    note(`${this.actor.name} is told to stop`);
    scheduler.as(this.actor, () => {
      this.#stopping.abort();
      inBackground(
        "hand-over",
        this.#handOver().finally(() => this.kill()),
      );
    });
  }

  async #handOver(): Promise<void> {
    const opened = this.#opened;
    if (opened === null) return;
    this.#readiness.phase = "stopping";
    await opened.host.transitions.settled(HAND_OVER_MS);
    await opened.lock.release();
  }

  async #serve(): Promise<void> {
    const logger = loggerOf(this.actor.name);
    const environment = this.#environment();
    const opened = await openHost({
      config: readConfig(environment, 1000),
      installDir: "/simulated",
      folder: {
        adminKey: "admin",
        secretKey: "secret",
        previousSecretKey: null,
        hostId: HOST_ID,
        adminKeyFile: "/simulated/admin-key",
      },
      logger,
      readiness: this.#readiness,
      resources: new Releasers(),
      stopping: this.#stopping.signal,
      onWait: () => {
        this.#readiness.phase = "standby";
      },
      onLoss: (error) => {
        world().note(`${this.actor.name}: ${error.message}`);
        this.kill();
      },
      leaderUrl: environment["ORCH_REPLICA_URL"] ?? null,
      metrics: new Metrics({ leads: true, changes: 0 }),
      isolation: { report: { mode: "off", parts: [] }, launch: {}, hasEngineUsers: true } as never,
      serviceManager: (this.#setup.keepsSockets ? world().machine.socketStore() : NO_STORE) as never,
    });
    if (opened === null) return;
    this.#opened = opened;
    const { host } = opened;
    this.#readiness.phase = "reconciling";
    await reconcileFleet(host);
    await releaseInterruptedKeys(host.db, HOST_ID);
    this.#readiness.phase = "serving";
    world().note(`${this.actor.name} serves`);
    inBackground(
      "scan for stuck engines",
      reapOverdue(host, () => undefined),
    );
    followSuspensions(host);
    followModels(host);
  }

  #environment(): Readonly<Record<string, string>> {
    const { ports, maxAwake, bootConcurrency, healthIntervalS, hasReplicas, spares } = this.#setup;
    return {
      DATABASE_URL: "postgres://simulated",
      ORCH_DATA_DIR: "/simulated",
      ORCH_PORT_MIN: "20000",
      ORCH_PORT_MAX: String(20_000 + ports - 1),
      ORCH_BOOT_CONCURRENCY: String(bootConcurrency),
      ORCH_HEALTH_INTERVAL_S: String(healthIntervalS),
      ORCH_BOOT_TIMEOUT_S: "10",
      ORCH_WARM_ENGINES: String(spares),
      ...(maxAwake !== null && { ORCH_MAX_AWAKE: String(maxAwake) }),
      ...(hasReplicas && { ORCH_REPLICA_URL: `http://${this.actor.name.replaceAll(/\W/g, "-")}:7700` }),
    };
  }
}

/** Warnings and errors are part of the trace. */
export function loggerOf(name: string): Logger {
  const write = (fields: unknown, message?: string) => {
    const { note } = world();
    if (typeof fields === "string") return note(`${name}: ${fields}`);
    const { err, reason } = fields as { readonly err?: unknown; readonly reason?: unknown };
    const why = err instanceof Error ? err.message : reason;
    note(`${name}: ${message}${why === undefined ? "" : ` (${String(why)})`}`);
  };
  const silent = () => undefined;
  const isLevelEnabled = () => false;
  return {
    warn: write,
    error: write,
    info: silent,
    debug: silent,
    trace: silent,
    fatal: write,
    isLevelEnabled,
  } as unknown as Logger;
}
