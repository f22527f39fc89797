import { sql } from "kysely";
import t from "tap";
import { rotateMaster } from "../../../src/orchestrator/operations/rotate-master.ts";
import { SEALED_COLUMNS } from "../../../src/orchestrator/store/sealed-columns.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { onEachServer } from "../../helpers/database.ts";

/** Columns of bytes that are sealed with a data key, which a new secret key leaves as they are. */
const BY_DATA_KEY = ["secrets.sealed"];

onEachServer(t, "each column of bytes is one that a new secret key seals again", async (t, { db }) => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema() and data_type = 'bytea'`.execute(db);
  const known = Object.entries(SEALED_COLUMNS).flatMap(([table, { sealed }]) =>
    sealed.map((name) => `${table}.${name}`),
  );
  t.same(rows.map(({ name }) => name).toSorted(), [...known, ...BY_DATA_KEY].toSorted());
});

onEachServer(t, "a rotation that ends anywhere goes on, and no value is unreadable at any time", async (t, { db }) => {
  const [before, both, after] = [new SealedBox("old"), new SealedBox("new", "old"), new SealedBox("new")];
  const insert = (id: string, env: Buffer | null) =>
    sql`insert into products (id, slug, policy, engine_env) values (${id}, ${id}, '{}', ${env})`.execute(db);
  const ids = Array.from({ length: 450 }, (_, at) => `prd_${String(at).padStart(4, "0")}`);
  for (const id of ids) await insert(id, before.seal(`{"LLM_API_KEY":"${id}"}`));
  await insert("prd_none", null);
  await insert("prd_lost", new SealedBox("lost").seal("{}"));
  const read = async (box: SealedBox) => {
    const { rows } = await sql<{ id: string; env: Buffer }>`
      select id, engine_env as env from products where engine_env is not null and id <> 'prd_lost' order by id`.execute(
      db,
    );
    return rows.every(({ id, env }) => box.open(env) === `{"LLM_API_KEY":"${id}"}`) && rows.length;
  };
  const host = { db, box: both, logger: createLogger("test", "silent") };
  // As if the daemon had been killed after the 200th row.
  const place = JSON.stringify(["products", "prd_0199"]);
  t.match(await rotateMaster(host, place), { resealed: 250, unreadable: 1, next: null });
  t.equal(await read(both), 450, "both keys open all");
  t.throws(() => after.open(before.seal("x")));
  t.match(await rotateMaster(host, undefined), { resealed: 200, unreadable: 1, next: null });
  t.equal(await read(after), 450, "the new key alone opens all");
  t.match(await rotateMaster({ ...host, box: after }, undefined), { resealed: 0, next: null });
});
