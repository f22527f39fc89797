import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import pg from "pg";
import tap, { type Test } from "tap";
import { createLogger } from "../../src/kit/logger.ts";
import { type BundledPostgres, startBundledPostgres } from "../../src/orchestrator/postgres/start-bundled-postgres.ts";
import { type Connection, type Db, openDatabase } from "../../src/orchestrator/store/database.ts";
import { migrateToLatest } from "../../src/orchestrator/store/migrate.ts";
import { freshFolder } from "./folder.ts";

const installDir = resolve(import.meta.dirname, "../..");
const logger = createLogger("test", "silent");

/**
 * Runs a test on a fresh, migrated database of each PostgreSQL there is: the bundled one, and the one at
 * TEST_DATABASE_URL when that is set.
 */
export function onEachServer(
  t: Test,
  title: string,
  test: (
    t: Test,
    parts: { readonly db: Db; readonly newClient: () => pg.Client; readonly connection: Connection },
  ) => Promise<void>,
): void {
  const url = process.env["TEST_DATABASE_URL"];
  const servers = { bundled: bundled, ...(url && { TEST_DATABASE_URL: (inner: Test) => freshDatabase(inner, url) }) };
  for (const [name, connect] of Object.entries(servers)) {
    t.test(`${title} (${name})`, async (inner) => {
      const connection = await connect(inner);
      const { db, newClient, close } = openDatabase(connection, logger);
      inner.teardown(close);
      await migrateToLatest(db);
      await test(inner, { db, newClient, connection });
    });
  }
}

/** One server a test file: to start one takes longer than most tests. */
const shared: { server?: Promise<BundledPostgres> } = {};

async function bundled(t: Test): Promise<Connection> {
  shared.server ??= startShared();
  const { connection } = await shared.server;
  return { ...connection, database: await createDatabase(t, connection) };
}

async function startShared(): Promise<BundledPostgres> {
  const server = await startBundledPostgres({ installDir, dataDir: freshFolder(tap), logger });
  tap.teardown(() => server.stop());
  return server;
}

async function freshDatabase(t: Test, url: string): Promise<Connection> {
  const address = new URL(url);
  address.pathname = `/${await createDatabase(t, { connectionString: url })}`;
  return { connectionString: address.href };
}

/** Gives its name; dropped after the test. */
async function createDatabase(t: Test, server: pg.ClientConfig): Promise<string> {
  const name = `orchd_test_${randomBytes(6).toString("hex")}`;
  const run = async (statement: string) => {
    const client = new pg.Client(server);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`create database ${name}`);
  t.teardown(() => run(`drop database if exists ${name} with (force)`));
  return name;
}
