import { chownSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import type { Test } from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import type { ServerConnection } from "../../../src/orchestrator/postgres/server-session.ts";
import { startBundledPostgres } from "../../../src/orchestrator/postgres/start-bundled-postgres.ts";
import type { Answer } from "../../helpers/api.ts";
import { type Daemon, startDaemon } from "../../helpers/daemon.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { copyPostgres } from "../../helpers/prepared-postgres.ts";
import { freshDatabase, urlOf } from "../../helpers/shared-postgres.ts";
import { until } from "../../helpers/until.ts";
import { engineProcesses } from "./engine-processes.ts";
import { isAlive } from "./is-alive.ts";

const installDir = resolve(import.meta.dirname, "../../..");
const silent = createLogger("test", "silent");

export interface SiteOptions {
  /** Its own PostgreSQL server, which may be stopped. Default: a database on the shared server. */
  readonly ownServer?: boolean;
  /** The name of a fixture. Default: the real engine. */
  readonly engine?: string;
  readonly preload?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The user of the daemon. It reaches the database through `reach`, since the socket's folder is another user's. */
  readonly uid?: number;
  /** The daemon's database address, if it is not the direct one. */
  readonly reach?: (connection: ServerConnection) => Promise<string>;
}

/** A deployment that outlives its daemons: a data folder, a PostgreSQL server and a product without limits. */
export interface Site {
  readonly dataDir: string;
  /** Stops the database server. Returns the function that starts it again. */
  databaseAway(): Promise<() => Promise<void>>;
  /** The test's own connection to the daemon's database. */
  readonly db: pg.Pool;
  /** The current daemon. */
  readonly daemon: Daemon;
  /** The first of its products. */
  readonly product: Product;
  readonly products: readonly Product[];
  /** Starts the next daemon on the same data after the previous one has exited. Rejects when it exits before it is ready. */
  restart(more?: Readonly<Record<string, string>>): Promise<Daemon>;
  newProduct(policy?: Readonly<Record<string, unknown>>): Promise<Product>;
}

export interface Product {
  readonly id: string;
  readonly key: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown, signal?: AbortSignal): Promise<Answer>;
  del(path: string, signal?: AbortSignal): Promise<Answer>;
}

export const UNLIMITED = { max_engines: null, requests_per_minute: null, drain_s: 1 };

export async function openSite(
  t: Test,
  { ownServer = false, engine, preload, env = {}, uid, reach }: SiteOptions = {},
): Promise<Site> {
  const own = ownServer ? await openServer(t) : null;
  const connection = own?.connection ?? (await freshDatabase(t));
  const databaseUrl = (await reach?.(connection)) ?? urlOf(connection);
  // Its own connection each time: the server may have been away since.
  const db = new pg.Pool({ ...connection, max: 2 });
  db.on("error", () => undefined);
  t.teardown(() => db.end());
  const dataDir = freshFolder(t, "orchd-faults");
  if (uid !== undefined) chownSync(dataDir, uid, uid);
  t.teardown(() => endEngines(t, dataDir));
  const portMin = 20_000 + Math.floor(Math.random() * 9000);
  const start = (more = {}) =>
    startDaemon(t, {
      dataDir,
      databaseUrl,
      ...(uid !== undefined && { uid }),
      ...(engine !== undefined && { engine: resolve(installDir, "test/fixtures/engines", `${engine}.cjs`) }),
      ...(preload !== undefined && { preload: resolve(installDir, "test/fixtures", preload) }),
      env: {
        ORCH_PORT_MIN: String(portMin),
        ORCH_PORT_MAX: String(portMin + 299),
        ORCH_BOOT_CONCURRENCY: "4",
        ...env,
        ...more,
      },
    });
  let daemon = await start();
  const products: Product[] = [];
  const newProduct = async (policy = {}): Promise<Product> => {
    const body = { slug: `p${products.length + 1}`, policy: { ...UNLIMITED, ...policy } };
    const made = await daemon.admin("/products/register", { method: "POST", body });
    if (made.status !== 201) throw new Error(made.text);
    const key: string = made.body.platform_api_key;
    const product: Product = {
      id: made.body.id,
      key,
      get: (path) => daemon.platform(key, path),
      post: (path, body = {}, signal) =>
        daemon.platform(key, path, { method: "POST", body, ...(signal && { signal }) }),
      del: (path, signal) => daemon.platform(key, path, { method: "DELETE", ...(signal && { signal }) }),
    };
    products.push(product);
    return product;
  };
  return {
    dataDir,
    db,
    async databaseAway() {
      if (own === null) throw new Error("others use this server: open the site with one of its own");
      await endServer(db);
      return () => own.startAgain();
    },
    get daemon() {
      return daemon;
    },
    product: await newProduct(),
    products,
    async restart(more) {
      await until("the daemon before is gone", () => daemon.process.exitCode !== null || daemon.process.signalCode);
      daemon = await start(more);
      return daemon;
    },
    newProduct,
  };
}

/** Stops the server immediately with all its sessions. */
async function endServer(db: pg.Pool): Promise<void> {
  const { rows } = await db.query<{ data_directory: string }>("show data_directory");
  const [line = ""] = readFileSync(join(rows[0]?.data_directory ?? "", "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(line), "SIGINT");
  await until("PostgreSQL has ended", () => !isAlive(Number(line)), 30_000);
}

async function openServer(t: Test) {
  const dataDir = freshFolder(t, "orchd-faults-pg");
  copyPostgres(dataDir);
  const start = () => startBundledPostgres({ installDir, dataDir, logger: silent });
  let postgres = await start();
  t.teardown(() => postgres.stop());
  return {
    connection: postgres.owner,
    async startAgain() {
      postgres = await start();
    },
  };
}

/** Stops the engines at the end of a test, since they outlive their daemon. */
async function endEngines(t: Test, dataDir: string): Promise<void> {
  for (const { pid } of engineProcesses(dataDir)) process.kill(pid, "SIGKILL");
  await until("no engine of this test is left", () => engineProcesses(dataDir).length === 0).catch((error: unknown) =>
    t.fail(String(error)),
  );
}
