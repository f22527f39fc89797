import { resolve } from "node:path";
import pg from "pg";
import type { Test } from "tap";
import { createLogger } from "../../../src/kit/logger.ts";
import {
  type BundledPostgres,
  startBundledPostgres,
} from "../../../src/orchestrator/postgres/start-bundled-postgres.ts";
import type { Answer } from "../../helpers/api.ts";
import { type Daemon, startDaemon } from "../../helpers/daemon.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { engineProcesses } from "./engine-processes.ts";

const installDir = resolve(import.meta.dirname, "../../..");
const silent = createLogger("test", "silent");

export interface SiteOptions {
  /** A fixture's name; left out, the real engine. */
  readonly engine?: string;
  readonly preload?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** One deployment that outlives its daemons: a data folder, a PostgreSQL, a product without limits. */
export interface Site {
  readonly dataDir: string;
  readonly postgres: BundledPostgres;
  readonly databaseUrl: string;
  /** The test's own eyes on the daemon's database. */
  readonly db: pg.Client;
  /** The daemon of now. */
  readonly daemon: Daemon;
  readonly product: Product;
  /** The next daemon on the same data, once the one before is gone. */
  restart(): Promise<Daemon>;
  newProduct(policy?: Readonly<Record<string, unknown>>): Promise<Product>;
}

export interface Product {
  readonly id: string;
  readonly key: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, signal?: AbortSignal): Promise<Answer>;
  del(path: string): Promise<Answer>;
}

export const UNLIMITED = { max_engines: null, requests_per_minute: null, drain_s: 1 };

export async function openSite(t: Test, { engine, preload, env = {} }: SiteOptions = {}): Promise<Site> {
  const postgresDir = freshFolder(t, "orchd-faults-pg");
  const postgres = await startBundledPostgres({ installDir, dataDir: postgresDir, logger: silent });
  t.teardown(() => postgres.stop());
  const { host, user, password, database } = postgres.connection;
  const databaseUrl = `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}`;
  const db = new pg.Client(postgres.connection);
  // Its end, when a test ends the server, is the test's doing.
  db.on("error", () => undefined);
  await db.connect();
  t.teardown(() => db.end());
  const dataDir = freshFolder(t, "orchd-faults");
  t.teardown(() => endEngines(t, dataDir));
  const portMin = 20_000 + Math.floor(Math.random() * 9000);
  const start = () =>
    startDaemon(t, {
      dataDir,
      databaseUrl,
      ...(engine !== undefined && { engine: resolve(installDir, "test/fixtures/engines", `${engine}.cjs`) }),
      ...(preload !== undefined && { preload: resolve(installDir, "test/fixtures", preload) }),
      env: { ORCH_PORT_MIN: String(portMin), ORCH_PORT_MAX: String(portMin + 299), ORCH_BOOT_CONCURRENCY: "4", ...env },
    });
  let daemon = await start();
  let products = 0;
  const newProduct = async (policy = {}): Promise<Product> => {
    const body = { slug: `p${++products}`, policy: { ...UNLIMITED, ...policy } };
    const made = await daemon.admin("/products/register", { method: "POST", body });
    if (made.status !== 201) throw new Error(made.text);
    const key: string = made.body.platform_api_key;
    return {
      id: made.body.id,
      key,
      get: (path) => daemon.platform(key, path),
      post: (path, body = {}, signal) =>
        daemon.platform(key, path, { method: "POST", body, ...(signal && { signal }) }),
      del: (path) => daemon.platform(key, path, { method: "DELETE" }),
    };
  };
  return {
    dataDir,
    postgres,
    databaseUrl,
    db,
    get daemon() {
      return daemon;
    },
    product: await newProduct(),
    async restart() {
      await until("the daemon before is gone", () => daemon.process.exitCode !== null || daemon.process.signalCode);
      daemon = await start();
      return daemon;
    },
    newProduct,
  };
}

/** Engines outlive their daemon: at the end of a test they are ended one by one. */
async function endEngines(t: Test, dataDir: string): Promise<void> {
  for (const { pid } of engineProcesses(dataDir)) process.kill(pid, "SIGKILL");
  await until("no engine of this test is left", () => engineProcesses(dataDir).length === 0).catch((error: unknown) =>
    t.fail(String(error)),
  );
}
