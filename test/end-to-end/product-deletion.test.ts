import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import t from "tap";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabase, urlOf } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const database = await freshDatabase(t);
const databaseUrl = urlOf(database);
const dataDir = freshFolder(t);
const kept = join(dataDir, "kept");
const db = new pg.Client(database);
await db.connect();
t.teardown(() => db.end());
let daemon = await startDaemon(t, { dataDir, databaseUrl });

async function product(on: Daemon, slug: string) {
  const { body } = await on.admin("/products/register", { method: "POST", body: { slug } });
  const key = body.platform_api_key as string;
  const destroy = (query = "") => on.platform(key, `/engines/alice${query}`, { method: "DELETE" });
  const provision = (idempotencyKey: string) =>
    on.platform(key, "/engines/provision", {
      method: "POST",
      headers: { "idempotency-key": idempotencyKey },
      body: { user_id: "alice", start: false },
    });
  return { id: body.id as string, destroy, provision };
}
const notesOf = (id: string) => (existsSync(join(kept, id)) ? readdirSync(join(kept, id)) : []);

t.test("a deleted product leaves no stored answers and no kept data", async (t) => {
  const { id, destroy, provision } = await product(daemon, "acme");
  t.equal((await provision("k1")).status, 201);
  t.equal((await destroy("?keep_data=true")).status, 200);
  t.equal(notesOf(id).length, 1);
  t.equal((await daemon.admin("/products/acme", { method: "DELETE" })).status, 200);
  t.same(notesOf(id), []);
  t.same((await db.query("select key from idempotency_keys where scope = $1", [id])).rows, []);
});

t.test("a destroy without keep_data erases what an earlier one kept, also where no engine is", async (t) => {
  const { id, destroy, provision } = await product(daemon, "erased");
  await provision("k1");
  await destroy("?keep_data=true");
  t.equal((await destroy("?keep_data=true")).status, 404, "there is no engine whose data could be kept");
  t.equal(notesOf(id).length, 1);
  t.equal((await destroy()).status, 200);
  t.same(notesOf(id), []);
  t.equal((await destroy()).status, 404);
});

t.test("what a deleted product left is removed by the next start; an unknown product's is not", async (t) => {
  const { id } = await product(daemon, "left");
  await daemon.admin("/products/left", { method: "DELETE" });
  await daemon.stop();
  for (const name of [id, "prd_of-another-database"]) {
    mkdirSync(join(kept, name, "user"), { recursive: true });
    writeFileSync(join(kept, name, "user", "note"), "data");
  }
  const insert = `insert into idempotency_keys (scope, key, fingerprint, claim, host_id, status, body, expires_at)
    values ($1, 'k', 'f', gen_random_uuid(), 'h', 200, '{}', now() + interval '1 day')`;
  for (const scope of [id, "admin"]) await db.query(insert, [scope]);
  daemon = await startDaemon(t, { dataDir, databaseUrl });
  await until("it is removed", async () => {
    const { rows } = await db.query("select scope from idempotency_keys where key = 'k'");
    return !existsSync(join(kept, id)) && rows.length === 1 && rows[0].scope === "admin";
  });
  t.ok(existsSync(join(kept, "prd_of-another-database", "user", "note")));
  await until("the unknown folder is reported", () => /found kept data of an unknown product/.test(daemon.output()));
});
