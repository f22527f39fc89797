import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import t from "tap";
import { DEFAULT_POLICY, ENGINE_STATES } from "../../../src/contract/orchestrator/requests.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { newKey, storedKey } from "../../../src/contract/orchestrator/api-keys.ts";
import { isDatabaseUnavailable } from "../../../src/orchestrator/store/database.ts";
import { assignUser } from "../../../src/orchestrator/store/engine-users.ts";
import { findEngine, replaceEngineKey } from "../../../src/orchestrator/store/engines.ts";
import { EventLog, listEvents } from "../../../src/orchestrator/store/events.ts";
import { migrateToLatest } from "../../../src/orchestrator/store/migrate.ts";
import { changePort, portUse, preparePorts, soonestPort } from "../../../src/orchestrator/store/ports.ts";
import { ProductDirectory } from "../../../src/orchestrator/store/product-directory.ts";
import { deleteProduct, findProduct, lockPolicy } from "../../../src/orchestrator/store/products.ts";
import type { EngineRow } from "../../../src/orchestrator/store/tables.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedEngine as engine, insertedProduct as product, newStates, range } from "../../helpers/records.ts";
import { until } from "../../helpers/until.ts";

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
  t.equal(ports.length, 10, "every free port is used");
  t.equal(new Set(ports).size, 10);
  const states = newStates(db);
  for (const row of made.filter((one) => one !== null).slice(0, 2))
    await states.remove({ id: row.id, from: ["provisioning"], reason: "test" });
  const [first] = ports;
  t.equal((await engine(db, id, "later"))?.port, first, "the one that has been free for longest");
});

onEachServer(
  t,
  "parallel starts never share a user id, and a destroyed engine's id is free again",
  async (t, { db }) => {
    await preparePorts(db, range);
    const { id } = await product(db);
    const rows: EngineRow[] = [];
    for (let user = 0; user < 4; user++) rows.push(...[await engine(db, id, `u${user}`)].filter((row) => row !== null));
    const uids = { min: 5000, max: 5003, preferred: 5002 };
    const settled = await Promise.all(rows.map((row) => assignUser(db, row, uids)));
    t.same(new Set(settled.map((row) => row?.uid)), new Set([5000, 5001, 5002, 5003]));
    const [first] = settled;
    if (!first) throw new Error("no engine");
    t.equal(await assignUser(db, first, uids), first, "an id of the range is kept");
    const more = await engine(db, id, "more");
    if (more === null) throw new Error("no port");
    await t.rejects(assignUser(db, more, uids), { name: "NoFreeUser" });
    await newStates(db).remove({ id: first.id, from: ["provisioning"], reason: "test" });
    t.equal((await assignUser(db, more, uids))?.uid, first.uid);
  },
);

onEachServer(
  t,
  "an engine whose user id is out of the range gets another, and without a range none",
  async (t, { db }) => {
    await preparePorts(db, range);
    const { id } = await product(db);
    const row = await engine(db, id, "a");
    if (row === null) throw new Error("no port");
    const old = await assignUser(db, row, { min: 5000, max: 5009, preferred: 5005 });
    t.equal(old?.uid, 5005);
    const moved = old && (await assignUser(db, old, { min: 6000, max: 6009, preferred: 6001 }));
    t.equal(moved?.uid, 6001);
    t.equal((moved && (await assignUser(db, moved, null)))?.uid, null);
    const late = { ...row, incarnation: randomUUID() };
    t.equal(
      await assignUser(db, late, { min: 5000, max: 5009, preferred: 5005 }),
      null,
      "an earlier life changes nothing",
    );
  },
);

onEachServer(t, "an engine whose port a stranger has gets another one, and gives its own back", async (t, { db }) => {
  await preparePorts(db, range);
  const { id } = await product(db);
  const row = await engine(db, id, "a");
  if (row === null) throw new Error("no port");
  const parts = { range, events: new EventLog(range.hostId) };
  const settled = await assignUser(db, row, { min: 5000, max: 5009, preferred: 5000 });
  t.equal(settled?.uid, 5000);
  const moved = await changePort(db, row, parts);
  t.not(moved?.port, row.port);
  t.equal(moved?.uid, null, "the stranger may be another daemon's engine with the same user id");
  const held = await db.selectFrom("ports").select("port").where("engine_id", "=", row.id).execute();
  t.same(held, [{ port: moved?.port }]);
  t.equal(await changePort(db, { ...row, incarnation: randomUUID() }, parts), null, "an earlier life changes nothing");
});

onEachServer(t, "engines with addresses of their own give their ports back, and take some again", async (t, { db }) => {
  const small = { ...range, max: range.min + 1 };
  await preparePorts(db, small);
  const { id } = await product(db);
  for (const user of ["a", "b"]) await engine(db, id, user, small);
  const ports = async () => {
    const rows = await db.selectFrom("engines").select("port").orderBy("user_id").execute();
    return rows.map(({ port }) => port);
  };
  t.same(await ports(), [range.min, range.min + 1]);
  const unused = { ...small, isUsed: false };
  await preparePorts(db, unused);
  await preparePorts(db, unused);
  t.same(await ports(), [null, null], "any number of rows has none");
  t.equal((await db.selectFrom("ports").selectAll().execute()).length, 0, "no row of a port is left");
  await t.rejects(preparePorts(db, { ...small, max: range.min }), { message: /has too few ports for the engines/ });
  t.same(await ports(), [null, null], "a start that fails changes nothing");
  await preparePorts(db, small);
  t.same(
    (await ports()).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    [range.min, range.min + 1],
  );
  const held = await db.selectFrom("ports").select("engine_id").where("engine_id", "is not", null).execute();
  t.equal(held.length, 2);
});

onEachServer(
  t,
  "a port rests before it is given again, and one that a stranger has is left alone",
  async (t, { db }) => {
    const small = { ...range, max: range.min + 1, reuseDelayS: 60 };
    const events = new EventLog(range.hostId);
    await preparePorts(db, small);
    const { id } = await product(db);
    const row = await engine(db, id, "a", small);
    if (row === null) throw new Error("no port");
    await newStates(db).remove({ id: row.id, from: ["provisioning"], reason: "test" });
    const second = await engine(db, id, "b", small);
    t.not(second?.port, row.port);
    t.equal(await engine(db, id, "c", small), null, "the first one rests");
    t.match(await portUse(db, small), { total: 2, taken: 1, resting: 1, quarantined: 0 });
    const wait = await soonestPort(db, small);
    t.ok(wait !== null && wait > 50 && wait <= 60, `${wait} s`);
    await sql`update ports set released_at = now() - interval '61 seconds' where port = ${row.port}`.execute(db);
    if (second === null) throw new Error("no port");
    t.equal((await changePort(db, second, { range: small, events }))?.port, row.port);
    t.match(await portUse(db, small), { total: 2, taken: 1, resting: 0, quarantined: 1 });
    const [event] = await listEvents(db, { before: null, limit: 1 });
    t.match(event, { type: "host.port_taken", engine_id: second.id, data: { port: second.port, next_port: row.port } });
  },
);

onEachServer(t, "of two moves that race one wins; a late one of an earlier life changes nothing", async (t, { db }) => {
  await preparePorts(db, range);
  const { id } = await product(db);
  const row = await engine(db, id, "a");
  if (row === null) throw new Error("no port");
  const states = newStates(db);
  const changes: string[] = [];
  const undo = states.onChange(row.id, () => changes.push("changed"));
  const moves = await Promise.all(
    Array.from({ length: 8 }, () => states.move({ id: row.id, from: ["provisioning"], to: "starting" })),
  );
  t.equal(moves.filter((move) => move !== null).length, 1);
  t.equal(changes.length, 1);
  undo();
  t.equal(await states.move({ id: row.id, from: ["starting"], to: "running", incarnation: randomUUID() }), null);
  t.equal((await findEngine(db, id, "a"))?.state, "starting");
  await t.rejects(states.move({ id: row.id, from: ["stopped"], to: "running" }), { message: /illegal move/ });
  t.equal(await states.remove({ id: row.id, from: ["destroying"], reason: "test" }), false);
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
  const replacement = {
    id: row.id,
    incarnation: row.incarnation,
    key: storedKey(newKey("sk-orch-")),
    previousExpiresAt: new Date(),
  };
  const replace = (what = replacement) => db.transaction().execute((trx) => replaceEngineKey(trx, what));
  t.equal(await replace(), null, "not running");
  await sql`update engines set state = 'running'`.execute(db);
  t.equal(await replace({ ...replacement, incarnation: randomUUID() }), null, "another life");
  t.match(await replace(), { key_hash: replacement.key.hash, previous_key_hash: row.key_hash });
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

onEachServer(t, "keys that nobody has take one connection of the pool, however many are tried", async (t, { db }) => {
  const { hash } = await product(db, "known");
  const directory = new ProductDirectory(db);
  const unknown = Array.from({ length: 200 }, () => storedKey(newKey("pk-orch-")).hash);
  const found = await Promise.all([...unknown, hash].map((one) => directory.find(one, Date.now())));
  t.equal(found.at(-1)?.record.slug, "known");
  t.same(
    found.slice(0, -1).filter((one) => one !== null),
    [],
  );
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from pg_stat_activity where datname = current_database()`.execute(db);
  t.ok(Number(rows[0]?.open) < 10, `${rows[0]?.open} connections are open`);
});

onEachServer(t, "a product with engines cannot be deleted; one without takes its keys along", async (t, { db }) => {
  await preparePorts(db, range);
  const { id } = await product(db);
  const row = await engine(db, id, "a");
  t.equal(await db.transaction().execute((trx) => deleteProduct(trx, id)), false);
  await newStates(db).remove({ id: row?.id ?? "", from: ["provisioning"], reason: "test" });
  t.equal(await db.transaction().execute((trx) => deleteProduct(trx, id)), true);
  t.same(await db.selectFrom("product_keys").selectAll().execute(), []);
});

t.test("errors of an unreachable database differ from errors of a statement", async (t) => {
  for (const code of ["ECONNREFUSED", "57P01", "08006", "ENOENT"])
    t.ok(isDatabaseUnavailable(Object.assign(new Error("x"), { code })), code);
  t.ok(isDatabaseUnavailable(new Error("Connection terminated unexpectedly")));
  for (const code of ["23505", "42601", "22P02"])
    t.notOk(isDatabaseUnavailable(Object.assign(new Error("x"), { code })), code);
  t.notOk(isDatabaseUnavailable(new Error("something else")));
});

onEachServer(t, "a policy of an earlier version gets the defaults of the fields it lacks", async (t, { db }) => {
  const { id } = await product(db);
  await sql`update products set policy = '{"max_engines": 7, "memory_mb": 512}' where id = ${id}`.execute(db);
  const expected = { ...DEFAULT_POLICY, max_engines: 7, memory_mb: 512 };
  t.same((await findProduct(db, id))?.record.policy, expected);
  t.same((await db.transaction().execute((trx) => lockPolicy(trx, id)))?.policy, expected);
});
