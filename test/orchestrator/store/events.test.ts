import { sql } from "kysely";
import { NO_SPAN } from "../../../src/shared/tracing/span.ts";
import t from "tap";
import { withinRequest } from "../../../src/shared/request-context.ts";
import {
  EventLog,
  eventsAfter,
  lastPosition,
  listEvents,
  positionOf,
  purgeEvents,
} from "../../../src/orchestrator/store/events.ts";
import { preparePorts } from "../../../src/orchestrator/store/ports.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedEngine, insertedProduct, newStates, range } from "../../helpers/records.ts";

onEachServer(t, "each change of an engine is one event, of the request that caused it", async (t, { db }) => {
  await preparePorts(db, range);
  const { id: productId } = await insertedProduct(db);
  const row = await insertedEngine(db, productId, "alice");
  if (row === null) throw new Error("no port");
  const events = new EventLog(range.hostId);
  const states = newStates(db, events);
  await withinRequest({ requestId: "req_1", actor: "product", span: NO_SPAN }, () =>
    states.move({ id: row.id, from: ["provisioning", "starting"], to: "starting" }),
  );
  await states.move({
    id: row.id,
    from: ["provisioning", "starting"],
    to: "starting",
    set: { handle: JSON.stringify({ backend: "process", version: 1 }) },
  });
  await states.move({ id: row.id, from: ["stopped"], to: "starting" });
  await states.move({ id: row.id, from: ["starting"], to: "running", event: { reason: "well", data: { port: 1 } } });
  await states.remove({ id: row.id, from: ["running"], reason: "gone" });
  const found = await listEvents(db, { productId, userId: "alice", before: null, limit: 10 });
  t.match(found.toReversed(), [
    { type: "engine.starting", from: "provisioning", to: "starting", actor: "product", request_id: "req_1" },
    { type: "engine.running", from: "starting", to: "running", reason: "well", data: { port: 1 }, actor: "orchd" },
    { type: "engine.destroyed", from: "running", to: null, reason: "gone", request_id: null },
  ]);
  t.equal(found.length, 3, "only state changes are stored as events");
  t.ok(found.every((event) => event.engine_id === row.id && event.incarnation === row.incarnation));
  t.same(Object.fromEntries(events.written), { "engine.starting": 1, "engine.running": 1, "engine.destroyed": 1 });
});

onEachServer(t, "a reader that remembers its place misses no event of transactions that overlap", async (t, { db }) => {
  const log = new EventLog(range.hostId);
  const seen: string[] = [];
  let position = await lastPosition(db);
  const read = async () => {
    const page = await eventsAfter(db, { after: position, limit: 7 });
    ({ position } = page);
    seen.push(...page.events.map(({ id }) => id));
    return page.events.length;
  };
  const written = new AbortController();
  const reading = (async () => {
    while (!written.signal.aborted || (await read()) > 0) await read();
  })();
  await Promise.all(
    Array.from({ length: 12 }, async (_, writer) => {
      for (let count = 0; count < 20; count++) {
        await db
          .transaction()
          .execute((trx) => log.insert(trx, { type: "host.draining", productId: "p", data: { writer, count } }));
      }
    }),
  );
  written.abort();
  await reading;
  const all = await listEvents(db, { before: null, limit: 500 });
  t.equal(all.length, 240);
  t.same(seen, all.map(({ id }) => id).toReversed());
  const middle = all[100]?.id ?? "";
  const behind = await listEvents(db, { before: middle, limit: 5 });
  t.same(
    behind.map(({ id }) => id),
    all.slice(101, 106).map(({ id }) => id),
  );
  t.ok(await positionOf(db, middle));
  await purgeEvents(db, { keptDays: 30, perProduct: 240 });
  t.equal((await listEvents(db, { before: null, limit: 500 })).length, 240);
  await purgeEvents(db, { keptDays: 0, perProduct: 240 });
  t.equal(await positionOf(db, middle), null);
});

onEachServer(t, "a product's events beyond a number are removed, the oldest first, however many", async (t, { db }) => {
  const busy = await insertedProduct(db);
  const quiet = await insertedProduct(db, "quiet");
  const insert = (productId: string, count: number) =>
    sql`insert into events (id, host_id, type, product_id, actor)
        select 'evt_' || gen_random_uuid(), 'h', 'engine.running', ${productId}, 'orchd' from generate_series(1, ${count}::int)`.execute(
      db,
    );
  await insert(busy.id, 2);
  await insert(quiet.id, 5);
  await insert(busy.id, 11_000);
  const newest = await listEvents(db, { productId: busy.id, before: null, limit: 10 });
  await purgeEvents(db, { keptDays: 30, perProduct: 10 });
  t.same(await listEvents(db, { productId: busy.id, before: null, limit: 500 }), newest);
  t.equal((await listEvents(db, { productId: quiet.id, before: null, limit: 500 })).length, 5);
});
