import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import t from "tap";
import { DEFAULT_POLICY, ENGINE_STATES } from "../../../src/contract/orchestrator-api.ts";
import { newId } from "../../../src/kit/ids.ts";
import { createLogger } from "../../../src/kit/logger.ts";
import { newKey, storedKey } from "../../../src/kit/secrets.ts";
import { type Db, isDatabaseAway } from "../../../src/orchestrator/store/database.ts";
import { EngineStates } from "../../../src/orchestrator/store/engine-states.ts";
import { findEngine, insertEngine, replaceEngineKey } from "../../../src/orchestrator/store/engines.ts";
import { migrateToLatest } from "../../../src/orchestrator/store/migrate.ts";
import { changePort, preparePorts, takePort } from "../../../src/orchestrator/store/ports.ts";
import { ProductDirectory } from "../../../src/orchestrator/store/product-directory.ts";
import { deleteProduct, insertProduct } from "../../../src/orchestrator/store/products.ts";
import { onEachServer } from "../../helpers/database.ts";
import { until } from "../../helpers/until.ts";

const range = { hostId: "host_1", min: 20_000, max: 20_009 };

async function product(db: Db, slug = "p"): Promise<{ id: string; hash: string }> {
  const id = newId("prd");
  const key = storedKey(newKey("orchp_"));
  const fields = { id, slug, name: null, policy: DEFAULT_POLICY, sealedEngineEnv: null, engineEnvNames: [], key };
  await db.transaction().execute((trx) => insertProduct(trx, fields));
  return { id, hash: key.hash };
}

async function engine(db: Db, productId: string, userId: string) {
  return db.transaction().execute(async (trx) => {
    const id = newId("eng");
    const port = await takePort(trx, id, range);
    if (port === null) return null;
    const key = storedKey(newKey("sk-orch-"));
    const life = { incarnation: randomUUID(), state: "provisioning", deadlineAt: null } as const;
    return insertEngine(trx, { id, productId, userId, hostId: range.hostId, port, key, metadata: {}, ...life });
  });
}

onEachServer(t, "migrations run once, and a newer schema is refused untouched", async (t, { db }) => {
  t.same(await migrateToLatest(db), []);
  await sql`insert into kysely_migration (name, timestamp) values ('9999-future', now())`.execute(db);
  await t.rejects(migrateToLatest(db), { name: "NewerSchema" });
});

onEachServer(t, "parallel takers never share a port, and a freed one comes last", async (t, { db }) => {
  await preparePorts(db, range);
  await preparePorts(db, range);
  const { id } = await product(db);
  const made = await Promise.all(Array.from({ length: 12 }, (_, user) => engine(db, id, `u${user}`)));
  const ports = made.flatMap((row) => (row === null ? [] : [row.port]));
  t.equal(ports.length, 10, "as many as there are");
  t.equal(new Set(ports).size, 10);
  const states = new EngineStates(db);
  for (const row of made.filter((one) => one !== null).slice(0, 2))
    await states.remove({ id: row.id, from: ["provisioning"] });
  const [first] = ports;
  t.equal((await engine(db, id, "later"))?.port, first, "the one that has been free for longest");
});

onEachServer(t, "an engine whose port a stranger has gets another one, and gives its own back", async (t, { db }) => {
  await preparePorts(db, range);
  const { id } = await product(db);
  const row = await engine(db, id, "a");
  if (row === null) throw new Error("no port");
  const moved = await changePort(db, row, range);
  t.not(moved?.port, row.port);
  const held = await db.selectFrom("ports").select("port").where("engine_id", "=", row.id).execute();
  t.same(held, [{ port: moved?.port }]);
  t.equal(
    await changePort(db, { id: row.id, incarnation: randomUUID() }, range),
    null,
    "an earlier life changes nothing",
  );
});

onEachServer(t, "of two moves that race one wins; a late one of an earlier life changes nothing", async (t, { db }) => {
  await preparePorts(db, range);
  const { id } = await product(db);
  const row = await engine(db, id, "a");
  if (row === null) throw new Error("no port");
  const states = new EngineStates(db);
  const told: string[] = [];
  const undo = states.onChange(row.id, () => told.push("changed"));
  const moves = await Promise.all(
    Array.from({ length: 8 }, () => states.move({ id: row.id, from: ["provisioning"], to: "starting" })),
  );
  t.equal(moves.filter((move) => move !== null).length, 1);
  t.equal(told.length, 1);
  undo();
  t.equal(await states.move({ id: row.id, from: ["starting"], to: "running", incarnation: randomUUID() }), null);
  t.equal((await findEngine(db, id, "a"))?.state, "starting");
  await t.rejects(states.move({ id: row.id, from: ["stopped"], to: "running" }), { message: /no move leads/ });
  t.equal(await states.remove({ id: row.id, from: ["destroying"] }), false);
});

onEachServer(t, "the database refuses a second engine of a user, and a state nobody knows", async (t, { db }) => {
  await preparePorts(db, range);
  const { id } = await product(db);
  await engine(db, id, "a");
  await t.rejects(engine(db, id, "a"), { code: "23505" });
  await t.rejects(sql`update engines set state = 'asleep'`.execute(db), { code: "23514" });
  for (const state of ENGINE_STATES) await sql`update engines set state = ${state}`.execute(db);
  const taken = await db.selectFrom("ports").select("port").where("engine_id", "is not", null).execute();
  t.equal(taken.length, 1, "the failed insert gave its port back");
});

onEachServer(t, "a key is replaced only in the running life it was meant for", async (t, { db }) => {
  await preparePorts(db, range);
  const { id } = await product(db);
  const row = await engine(db, id, "a");
  if (row === null) throw new Error("no port");
  const wish = {
    id: row.id,
    incarnation: row.incarnation,
    key: storedKey(newKey("sk-orch-")),
    previousExpiresAt: new Date(),
  };
  t.equal(await replaceEngineKey(db, wish), null, "not running");
  await sql`update engines set state = 'running'`.execute(db);
  t.equal(await replaceEngineKey(db, { ...wish, incarnation: randomUUID() }), null, "another life");
  t.match(await replaceEngineKey(db, wish), { key_hash: wish.key.hash, previous_key_hash: row.key_hash });
});

onEachServer(
  t,
  "what the daemon remembers of products follows every change, an operator's own SQL included",
  async (t, { db, newClient }) => {
    const { id, hash } = await product(db, "remembered");
    const directory = new ProductDirectory(db);
    const stop = new AbortController();
    t.teardown(() => stop.abort());
    await directory.listen(newClient, createLogger("test", "silent"), stop.signal);
    t.equal((await directory.find(hash, Date.now()))?.record.slug, "remembered");
    await sql`update products set slug = 'renamed' where id = ${id}`.execute(db);
    await until("the change is known", async () => (await directory.find(hash, Date.now()))?.record.slug === "renamed");
    await sql`update product_keys set expires_at = now() - interval '1 second' where hash = ${hash}`.execute(db);
    await until("the key is refused", async () => (await directory.find(hash, Date.now())) === null);
    t.equal(await directory.find("0".repeat(64), Date.now()), null);
  },
);

onEachServer(t, "a product with engines cannot be deleted; one without takes its keys along", async (t, { db }) => {
  await preparePorts(db, range);
  const { id } = await product(db);
  const row = await engine(db, id, "a");
  t.equal(await db.transaction().execute((trx) => deleteProduct(trx, id)), false);
  await new EngineStates(db).remove({ id: row?.id ?? "", from: ["provisioning"] });
  t.equal(await db.transaction().execute((trx) => deleteProduct(trx, id)), true);
  t.same(await db.selectFrom("product_keys").selectAll().execute(), []);
});

t.test("an error that says the database is away is told from one that says a statement is wrong", async (t) => {
  for (const code of ["ECONNREFUSED", "57P01", "08006", "ENOENT"])
    t.ok(isDatabaseAway(Object.assign(new Error("x"), { code })), code);
  t.ok(isDatabaseAway(new Error("Connection terminated unexpectedly")));
  for (const code of ["23505", "42601", "22P02"])
    t.notOk(isDatabaseAway(Object.assign(new Error("x"), { code })), code);
  t.notOk(isDatabaseAway(new Error("something else")));
});
