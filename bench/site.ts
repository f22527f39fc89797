import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createLogger } from "../src/shared/logger.ts";
import { findOrphans } from "../src/orchestrator/fleet/process/find-processes.ts";
import { startBundledPostgres } from "../src/orchestrator/postgres/start-bundled-postgres.ts";
import { type Call, call, end, freePort, start, untilHealthy } from "./measure.ts";

export const installDir = resolve(import.meta.dirname, "..");
const ADMIN_KEY = "bench-admin-key-0123456789";
/** Between the daemon's usual range and the kernel's, so that tests beside us are not in the way. */
const PORTS = { ORCH_PORT_MIN: "30000", ORCH_PORT_MAX: "32700" };

/** Without limits. Only what measures sleep lets engines sleep. */
const POLICY = { requests_per_minute: null, max_engines: null, idle_stop_s: 0 };

/** As in `systemd/orchd.service`, and in the first line of `bin/orchd.js`. */
const NODE_OPTIONS = ["--max-semi-space-size=8"];

export interface Engine {
  readonly id: string;
  readonly user_id: string;
  readonly url: string;
  readonly pid: number;
  readonly incarnation: string;
  readonly engine_api_key: string;
}

/** A daemon of our own with its database, and a product without limits. */
export class Site {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly #stopDatabase: () => Promise<void>;
  readonly #database: pg.Client;
  readonly #port: number;
  #daemon: ChildProcess | undefined;
  #host = "127.0.0.1";
  #printed = "";
  productId = "";
  platform: Readonly<Record<string, string>> = {};

  static async open(): Promise<Site> {
    const dataDir = await mkdtemp(join(tmpdir(), "orchd-bench-"));
    const postgres = await startBundledPostgres({ installDir, dataDir, logger: createLogger("bench", "silent") });
    const { host, user, password, database, port } = postgres.owner;
    const databaseUrl = `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    const client = new pg.Client({ connectionString: databaseUrl });
    client.on("error", () => undefined);
    const site = new Site({
      dataDir,
      databaseUrl,
      client,
      port: await freePort(),
      stopDatabase: () => postgres.stop(),
    });
    try {
      await client.connect();
      await site.startDaemon();
      await site.#register();
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  private constructor(parts: {
    dataDir: string;
    databaseUrl: string;
    client: pg.Client;
    port: number;
    stopDatabase: () => Promise<void>;
  }) {
    this.dataDir = parts.dataDir;
    this.databaseUrl = parts.databaseUrl;
    this.#database = parts.client;
    this.#port = parts.port;
    this.#stopDatabase = parts.stopDatabase;
  }

  get url(): string {
    return `http://${this.#host}:${this.#port}`;
  }

  get adminKey(): string {
    return ADMIN_KEY;
  }

  get daemonPid(): number {
    return this.#daemon?.pid ?? 0;
  }

  /** Waits until so many spares can be claimed. */
  async sparesReady(count: number): Promise<void> {
    const suits = (body: string) => (JSON.parse(body) as { spares: { ready: number } }).spares.ready >= count;
    await untilHealthy(`${this.url}/admin/status`, suits, { "x-admin-key": ADMIN_KEY });
  }

  /** What the daemon has printed, for a bench that failed. */
  get printed(): string {
    return this.#printed;
  }

  /** Milliseconds from the start of the daemon until it is ready. */
  async startDaemon(settings: Readonly<Record<string, string>> = {}): Promise<number> {
    const began = performance.now();
    this.#host = settings["ORCH_HOST"] ?? "127.0.0.1";
    this.#daemon = this.launchDaemon(this.dataDir, this.#port, settings);
    await untilHealthy(`${this.url}/ready`);
    return performance.now() - began;
  }

  /** A daemon on our database; with another data folder it is another host's, and has no engines. */
  launchDaemon(dataDir: string, port: number, settings: Readonly<Record<string, string>> = {}): ChildProcess {
    const env = {
      // Only what measures spares has them: they take processor time from what is measured.
      ORCH_WARM_ENGINES: "0",
      ...PORTS,
      ORCH_LOG_LEVEL: "warn",
      ...settings,
      ORCH_DATA_DIR: dataDir,
      ORCH_PORT: String(port),
      ORCH_ADMIN_KEY: ADMIN_KEY,
      DATABASE_URL: this.databaseUrl,
    };
    const child = start([...NODE_OPTIONS, join(installDir, "bin/orchd.js")], env, "pipe");
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.#printed = (this.#printed + chunk.toString()).slice(-20_000)));
    }
    return child;
  }

  async stopDaemon(signal: NodeJS.Signals): Promise<void> {
    if (this.#daemon !== undefined) await end(this.#daemon, signal);
    this.#daemon = undefined;
  }

  /** An engine that runs. A host that is too busy says when to come back; `onBusy` is told. */
  async provision(userId: string, onBusy: () => void = () => undefined): Promise<Engine> {
    const request: Call = { method: "POST", headers: this.platform, body: { user_id: userId } };
    for (;;) {
      const answer = await call(`${this.url}/engines/provision`, request);
      if (answer.status === 201) return JSON.parse(answer.body) as Engine;
      if (answer.status !== 503) throw new Error(`provision answered ${answer.status}: ${answer.body}`);
      onBusy();
      await sleep(answer.retryAfterS * 1000);
    }
  }

  async destroy(userId: string): Promise<void> {
    const answer = await call(`${this.url}/engines/${userId}`, { method: "DELETE", headers: this.platform });
    if (answer.status !== 200) throw new Error(`destroy answered ${answer.status}: ${answer.body}`);
  }

  async query<T extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly T[]> {
    return (await this.#database.query<T>(text, [...values])).rows;
  }

  /** The first figure of the first row. */
  async count(text: string, values: readonly unknown[] = []): Promise<number> {
    return Number(Object.values((await this.query(text, values))[0] ?? {})[0]);
  }

  /** Where the daemon puts launch files: every process of an engine names one of them. */
  get runDir(): string {
    return join(this.dataDir, "run");
  }

  /** Ends every process of every engine at once, whoever looks after them. */
  async killEngines(): Promise<void> {
    for (let pids = this.#enginePids(); pids.length > 0; pids = this.#enginePids()) {
      for (const pid of pids) killIfThere(pid);
      await sleep(50);
    }
  }

  async close(): Promise<void> {
    // First the one that would start them again.
    await this.stopDaemon("SIGKILL");
    await this.killEngines();
    await this.#database.end().catch(() => undefined);
    await this.#stopDatabase();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** How many processes the engines have. */
  engineProcesses(): number {
    return this.#enginePids().length;
  }

  /** Changes fields of the product's policy. */
  async setPolicy(policy: Readonly<Record<string, unknown>>): Promise<void> {
    const answer = await call(`${this.url}/products/${this.productId}/policy`, {
      method: "PUT",
      headers: { "x-admin-key": ADMIN_KEY },
      body: policy,
    });
    if (answer.status !== 200) throw new Error(`the policy was answered ${answer.status}: ${answer.body}`);
  }

  #enginePids(): readonly number[] {
    return findOrphans({ runDir: this.runDir, cgroups: null }, []).flatMap(({ pids }) => pids);
  }

  async #register(): Promise<void> {
    const answer = await call(`${this.url}/products/register`, {
      method: "POST",
      headers: { "x-admin-key": ADMIN_KEY },
      body: { slug: "bench", policy: POLICY },
    });
    if (answer.status !== 201) throw new Error(`register answered ${answer.status}: ${answer.body}`);
    const product = JSON.parse(answer.body) as { id: string; platform_api_key: string };
    this.productId = product.id;
    this.platform = { "x-platform-key": product.platform_api_key };
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
