import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import pg from "pg";
import type { Test } from "tap";
import { createLogger } from "../../src/kit/logger.ts";
import { startBundledPostgres } from "../../src/orchestrator/postgres/start-bundled-postgres.ts";
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

async function bundled(t: Test): Promise<Connection> {
  const server = await startBundledPostgres({ installDir, dataDir: freshFolder(t), logger });
  t.teardown(() => server.stop());
  return server.connection;
}

async function freshDatabase(t: Test, url: string): Promise<Connection> {
  const name = `orchd_test_${randomBytes(6).toString("hex")}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`create database ${name}`);
  t.teardown(() => run(`drop database if exists ${name} with (force)`));
  const address = new URL(url);
  address.pathname = `/${name}`;
  return { connectionString: address.href };
}
