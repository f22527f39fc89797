import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { loadRecords } from "../../../src/orchestrator/store/record-load.ts";
import t from "tap";
import { onEachServer } from "../../helpers/database.ts";
import { range } from "../../helpers/records.ts";

const product = { id: "prd_1", slug: "acme", policy: {} };
const engine = (user: string, port: number | null) => ({
  id: `eng_${user}`,
  product_id: product.id,
  user_id: user,
  host_id: range.hostId,
  state: "stopped",
  desired_state: "stopped",
  port,
  incarnation: randomUUID(),
  key_hash: user,
  key_prefix: "sk-orch-",
  key_last4: "last",
});

/** A row of a backup has all columns. */
async function lineOf(db: Db, table: string, row: object): Promise<string> {
  const { rows } = await sql<{ column: string; value: string | null }>`
    select column_name as column, column_default as value from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and column_default is not null`.execute(db);
  const defaults = rows.map(async ({ column, value }) => {
    const found = await sql<{ value: unknown }>`select ${sql.raw(value ?? "null")} as value`.execute(db);
    return [column, found.rows[0]?.value] as const;
  });
  return JSON.stringify({ ...Object.fromEntries(await Promise.all(defaults)), ...row });
}

async function restore(db: Db, users: readonly object[], ports: { min: number; max: number } | null) {
  const products = [await lineOf(db, "products", product)];
  const engines = await Promise.all(users.map((user) => lineOf(db, "engines", user)));
  async function* batches() {
    yield { table: "products", lines: products };
    yield { table: "engines", lines: engines };
  }
  const { moved } = await loadRecords(db, {
    batches: batches(),
    onLoaded: () => undefined,
    destroyed: [],
    hostId: range.hostId,
    ports,
    restoreId: "rst_1",
    createdAt: new Date().toISOString(),
    resumeSchedules: false,
  });
  const rows = await db.selectFrom("engines").select(["user_id", "port"]).orderBy("user_id").execute();
  const taken = await db.selectFrom("ports").select(["port", "engine_id"]).orderBy("port").execute();
  return { moved, ports: rows.map(({ port }) => port), taken };
}

onEachServer(t, "engines of a cluster's backup get free ports on a machine", async (t, { db }) => {
  const { min, max } = range;
  const restored = await restore(db, [engine("a", null), engine("b", min), engine("c", null)], { min, max });
  t.match(restored, { moved: 2, ports: [min + 1, min, min + 2] });
  t.same(
    restored.taken.map(({ engine_id }) => engine_id),
    ["eng_b", "eng_a", "eng_c"],
  );
});

onEachServer(t, "a restore into a cluster takes no port", async (t, { db }) => {
  const restored = await restore(db, [engine("a", null), engine("b", range.min)], null);
  t.same(restored, { moved: 0, ports: [null, range.min], taken: [] });
});
