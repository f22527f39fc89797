import { sql } from "kysely";
import t from "tap";
import { type Room, claimDeliveries } from "../../../src/orchestrator/store/notification-deliveries.ts";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedProduct } from "../../helpers/records.ts";

const ALL: Room = { endpoints: { ids: [], left: [], limit: 25 }, products: { ids: [], left: [], limit: 50 } };

async function endpoint(db: Db, id: string, productId: string): Promise<void> {
  await db
    .insertInto("notification_endpoints")
    .values({
      id,
      product_id: productId,
      url: "https://a.example/",
      events: ["turn.completed"],
      secret: Buffer.from("x"),
    })
    .execute();
}

/** `count` deliveries of an endpoint, of so many engines in turn. */
const add = (db: Db, id: string, count: number, engines: number) =>
  sql`
    insert into notification_deliveries (id, endpoint_id, engine_id, type, payload)
    select ${id} || '_' || nth, ${id}, 'eng_' || nth % ${engines}::int, 'turn.completed', '{}'
    from generate_series(0, ${count - 1}::int) as nth`.execute(db);

const claimed = async (db: Db, room: Room = ALL, limit = 200) => {
  const rows = await claimDeliveries(db, { limit, room });
  return rows.map(({ id }) => id).toSorted();
};

onEachServer(t, "of each engine the oldest delivery is claimed, until it is settled", async (t, { db }) => {
  const { id: productId } = await insertedProduct(db);
  await endpoint(db, "nep_a", productId);
  await add(db, "nep_a", 6, 2);
  t.same(await claimed(db), ["nep_a_0", "nep_a_1"]);
  t.same(await claimed(db), [], "the others wait for them");
  await sql`update notification_deliveries set state = 'delivered' where id = 'nep_a_1'`.execute(db);
  t.same(await claimed(db), ["nep_a_3"]);
});

onEachServer(t, "no more is claimed of an endpoint and a product than there is room", async (t, { db }) => {
  const { id: productId } = await insertedProduct(db);
  for (const id of ["nep_a", "nep_b", "nep_c"]) {
    await endpoint(db, id, productId);
    await add(db, id, 40, 40);
  }
  const endpoints = { ids: ["nep_a", "nep_b"], left: [0, 2], limit: 25 };
  const room = { endpoints, products: { ids: [productId], left: [10], limit: 50 } };
  const found = await claimed(db, room);
  t.equal(found.length, 10);
  t.equal(found.filter((id) => id.startsWith("nep_a")).length, 0);
  t.ok(found.filter((id) => id.startsWith("nep_b")).length <= 2);
});

onEachServer(t, "what waits for an endpoint that hangs does not slow the claims of others", async (t, { db }) => {
  const { id: productId } = await insertedProduct(db);
  for (const id of ["nep_hangs", "nep_quick"]) await endpoint(db, id, productId);
  await add(db, "nep_hangs", 100_000, 20);
  await add(db, "nep_quick", 20, 20);
  await sql`analyze notification_deliveries`.execute(db);
  t.equal((await claimed(db)).length, 40);
  const startedAt = performance.now();
  for (let nth = 0; nth < 20; nth++) await claimed(db);
  const ms = (performance.now() - startedAt) / 20;
  t.comment(`${ms.toFixed(1)} ms a claim`);
  t.ok(ms < 50, `${ms} ms a claim with 100,000 that wait`);
});
