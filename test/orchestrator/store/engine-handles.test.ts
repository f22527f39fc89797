import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import t, { type Test } from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { readIdentity } from "../../../src/sandbox/processes/process-table.ts";
import { makeHandle } from "../../../src/orchestrator/fleet/process/process-handle.ts";
import { type Db, openDatabase } from "../../../src/orchestrator/store/database.ts";
import { migrateTo, migrateToLatest } from "../../../src/orchestrator/store/migrate.ts";
import { loadRecords } from "../../../src/orchestrator/store/record-load.ts";
import { createDatabase, sharedPostgres } from "../../helpers/shared-postgres.ts";

/** The last schema with a pid, a boot id and a start time in columns of their own. */
const EARLIER = "0009-sleeping";
const identity = readIdentity(process.pid);
const BOOT = randomUUID();

async function earlierDatabase(t: Test): Promise<Db> {
  const server = await sharedPostgres();
  const database = await createDatabase(t, server);
  const { db, close } = openDatabase({ ...server, database }, createLogger("test", "silent"));
  t.teardown(close);
  await migrateTo(db, EARLIER);
  return db;
}

const product = {
  id: "prod_1",
  slug: "acme",
  policy: {},
  engine_env_names: [],
  created_at: new Date(),
  updated_at: new Date(),
};
const engine = (id: string, more: object) => ({
  id,
  product_id: "prod_1",
  user_id: id,
  host_id: "host",
  desired_state: "running",
  provisioned: true,
  keep_data: false,
  port: 20_000,
  incarnation: randomUUID(),
  key_hash: id,
  key_prefix: "sk-orch-",
  key_last4: "last",
  key_created_at: new Date(),
  restart_count: 0,
  metadata: {},
  created_at: new Date(),
  ...more,
});
const running = engine("running", {
  state: "running",
  pid: identity.pid,
  boot_id: BOOT,
  process_start: identity.startTime,
});
/** As the exit of a crashed engine left it. */
const crashed = engine("crashed", { state: "backoff", port: 20_001, pid: null, boot_id: BOOT, process_start: "1" });

async function insert(db: Db, table: string, rows: readonly object[]): Promise<void> {
  const lines = JSON.stringify(rows);
  await sql`insert into ${sql.table(table)} select * from json_populate_recordset(null::${sql.table(table)}, ${lines}::json)`.execute(
    db,
  );
}

const rows = async (db: Db) => await db.selectFrom("engines").select(["id", "handle"]).orderBy("id").execute();

t.test("an upgrade moves the process of each row into its handle", async (t) => {
  const db = await earlierDatabase(t);
  await insert(db, "products", [product]);
  await insert(db, "engines", [running, crashed]);
  await migrateToLatest(db);
  t.same(await rows(db), [
    { id: "crashed", handle: null },
    { id: "running", handle: makeHandle(identity, BOOT) },
  ]);
});

t.test("a backup of the earlier schema is restored, without processes", async (t) => {
  const db = await earlierDatabase(t);
  async function* batches() {
    yield { table: "products", lines: [JSON.stringify(product)] };
    yield { table: "engines", lines: [JSON.stringify(running)] };
  }
  await loadRecords(db, {
    batches: batches(),
    onLoaded: () => undefined,
    destroyed: [],
    hostId: "host",
    ports: { min: 20_000, max: 20_010 },
    restoreId: "rst_1",
    createdAt: new Date().toISOString(),
    resumeSchedules: false,
  });
  t.equal(
    (await sql<{ schedules_paused: boolean }>`select schedules_paused from hosts`.execute(db)).rows[0]
      ?.schedules_paused,
    true,
  );
  await migrateToLatest(db);
  t.same(await rows(db), [{ id: "running", handle: null }]);
});
