import pg from "pg";
import type { Test } from "tap";
import { backgroundSettled } from "../../src/shared/background.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { type Connection, type Db, openDatabase } from "../../src/orchestrator/store/database.ts";
import { migrateToLatest } from "../../src/orchestrator/store/migrate.ts";
import { createDatabase, freshDatabase } from "./shared-postgres.ts";

const SETTLE_MS = 10_000;
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
  const servers: Readonly<Record<string, (inner: Test) => Promise<Connection>>> = {
    bundled: freshDatabase,
    ...(url && { TEST_DATABASE_URL: (inner: Test) => databaseAt(inner, url) }),
  };
  for (const [name, connect] of Object.entries(servers)) {
    t.test(`${title} (${name})`, async (inner) => {
      const connection = await connect(inner);
      const { db, newClient, close } = openDatabase(connection, logger);
      // Teardowns run from the last to the first: what the test started has been stopped by then.
      inner.teardown(async () => {
        const running = await backgroundSettled(SETTLE_MS);
        await close();
        if (running.length > 0) throw new Error(`closed the database while it was used: ${running.join(", ")}`);
      });
      await migrateToLatest(db);
      await test(inner, { db, newClient, connection });
    });
  }
}

async function databaseAt(t: Test, url: string): Promise<Connection> {
  const address = new URL(url);
  address.pathname = `/${await createDatabase(t, { connectionString: url })}`;
  return { connectionString: address.href };
}
