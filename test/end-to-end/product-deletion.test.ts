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

/** Copies the product's engine without starting anything. */
const copyEngine = (productId: string, copies: number) =>
  db.query(
    `insert into engines select (jsonb_populate_record(e, jsonb_build_object(
       'id', e.id || '_' || n, 'user_id', 'user' || n, 'incarnation', gen_random_uuid(),
       'usage_collected', null, 'uid', null))).*
     from engines e, generate_series(1, $2::int) n where e.product_id = $1`,
    [productId, copies],
  );
const enginesOf = async (id: string) =>
  (await db.query("select id from engines where product_id = $1", [id])).rows.length;
const deletionsOf = async (id: string) =>
  (await db.query("select from events where product_id = $1 and type = 'product.deleted'", [id])).rows.length;
const remove = (slug: string) => daemon.admin(`/products/${slug}?force=true`, { method: "DELETE" });

t.test("at most ten engines are destroyed at a time, of all products together, and each product once", async (t) => {
  await db.query(`
    create function assert_few() returns trigger language plpgsql as $$ begin
      if (select count(*) from engines where state = 'destroying') > 10 then raise 'too many at a time'; end if;
      return null;
    end $$;
    create trigger few_destroys after update on engines for each statement execute function assert_few()`);
  t.teardown(() => db.query("drop function assert_few cascade"));
  const slugs = ["large-a", "large-b", "large-c"];
  const ids: string[] = [];
  for (const slug of slugs) {
    const { id, provision } = await product(daemon, slug);
    ids.push(id);
    await provision(slug);
    await copyEngine(id, 7);
  }
  const answers = await Promise.all([...slugs, "large-a", "large-a"].map(remove));
  t.same(
    answers.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  );
  for (const id of ids) t.same([await enginesOf(id), await deletionsOf(id)], [0, 1]);
});

t.test("an engine that cannot be destroyed keeps no other, and a repeated deletion continues", async (t) => {
  const { id, provision } = await product(daemon, "stuck");
  await provision("k1");
  await copyEngine(id, 12);
  await db.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger keep_alice before delete on engines for each row when (old.user_id = 'alice') execute function refuse()`);
  t.equal((await remove("stuck")).status, 500);
  const deletion = { started_at: /^2/, engines_left: 1 };
  t.match((await daemon.admin("/products/stuck")).body, { deletion });
  const { data } = (await daemon.admin("/products")).body as { data: { slug: string }[] };
  t.match(
    data.find(({ slug }) => slug === "stuck"),
    { deletion },
  );
  t.match(await provision("k2"), {
    status: 403,
    body: { error: { code: "POLICY_DENIED", message: "the product is being deleted" } },
  });
  await db.query("drop function refuse cascade");
  t.equal((await remove("stuck")).status, 200);
  t.same([await enginesOf(id), await deletionsOf(id)], [0, 1]);
  t.equal((await remove("stuck")).status, 404);
});

t.test("a deletion that the end of the daemon interrupted is shown, and continued by a repeated call", async (sub) => {
  const { id, provision } = await product(daemon, "cut");
  await provision("k1");
  await copyEngine(id, 12);
  const holder = new pg.Client(database);
  await holder.connect();
  sub.teardown(() => holder.end());
  await holder.query("begin");
  await holder.query("select from engines where product_id = $1 and user_id = 'alice' for update", [id]);
  const cut = remove("cut").catch((error: unknown) => error);
  await until("the others are gone", async () => (await enginesOf(id)) === 1);
  sub.match((await daemon.admin("/products/cut")).body, { deletion: { engines_left: 1 } });
  await daemon.stop("SIGKILL");
  sub.match(await cut, { code: /ECONNRESET/ });
  await holder.query("commit");
  // Of the file, for the tests after this one.
  daemon = await startDaemon(t, { dataDir, databaseUrl });
  sub.match((await daemon.admin("/products/cut")).body, { deletion: { engines_left: 1 } });
  sub.equal((await remove("cut")).status, 200);
  sub.same([await enginesOf(id), await deletionsOf(id)], [0, 1]);
});

t.test("the next start removes leftovers of a deleted product, but not of an unknown one", async (t) => {
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
