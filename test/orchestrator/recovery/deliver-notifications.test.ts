import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import t, { type Test } from "tap";
import { DEFAULT_POLICY } from "../../../src/contract/orchestrator/requests.ts";
import { deliverNotifications } from "../../../src/orchestrator/recovery/deliver-notifications.ts";
import type { Db } from "../../../src/orchestrator/store/database.ts";
import { EventLog } from "../../../src/orchestrator/store/events.ts";
import { insertDelivery } from "../../../src/orchestrator/store/notification-deliveries.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { Alarm } from "../../../src/shared/alarm.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedProduct } from "../../helpers/records.ts";
import { until } from "../../helpers/until.ts";

const IS_LONG = process.env["ORCHD_FAULTS"] === "long";
const ENGINES = 200;
const PER_SECOND = IS_LONG ? 1000 : 100;
const SECONDS = IS_LONG ? 10 : 3;

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const box = new SealedBox("this key");
/** The path of an endpoint whose secret was sealed with another key. */
const UNREADABLE = "/unreadable";

interface Received {
  readonly path: string;
  readonly engine: string;
  readonly nth: number;
  readonly delayMs: number;
}

/** A service that answers on every path but those that begin with `/hang`. */
async function openService(t: Test) {
  const received: Received[] = [];
  const hanging = { open: 0, given: 0 };
  const server = createServer(async (request, response) => {
    const { created_at, data } = JSON.parse(await text(request));
    const { url: path = "" } = request;
    if (path.startsWith("/hang")) {
      hanging.open += 1;
      response.once("close", () => (hanging.given += 1));
      return;
    }
    received.push({ path, engine: data.user_id, nth: data.exit_code, delayMs: Date.now() - Date.parse(created_at) });
    response.writeHead(path === "/broken" ? 500 : 204).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, hanging, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The daemon's delivery with an endpoint of a product for each path. */
async function openDelivery(t: Test, db: Db, paths: readonly string[]) {
  const { received, hanging, host } = await openService(t);
  const { id: productId } = await insertedProduct(db);
  for (const path of paths)
    await db
      .insertInto("notification_endpoints")
      .values({
        id: path,
        product_id: productId,
        url: `http://${host}${path}`,
        events: ["engine.crashed"],
        secret: path === UNREADABLE ? new SealedBox("another key").seal(SECRET) : box.seal(SECRET),
      })
      .execute();
  const stop = new AbortController();
  const events = new EventLog("host_1");
  const notified = new Alarm();
  const running = deliverNotifications({
    db,
    events,
    notified,
    stopping: stop.signal,
    logger: createLogger("test", "silent"),
    directory: { policyOf: async () => ({ ...DEFAULT_POLICY, private_hosts: [host] }) },
    box,
    metrics: { notifications: { inc: () => undefined } },
    now: Date.now,
  } as unknown as Parameters<typeof deliverNotifications>[0]);
  t.teardown(async () => {
    stop.abort();
    await running;
  });
  /** Writes events `from` to `from + count`, in turn of each engine. */
  const write = async (from: number, count: number) => {
    await sql`
      insert into events (id, host_id, type, product_id, user_id, engine_id, actor, data)
      select 'evt_' || n, 'host_1', 'engine.crashed', ${productId}, 'u' || n % ${ENGINES}::int,
        'e' || n % ${ENGINES}::int, 'orchd', jsonb_build_object('exit_code', n)
      from generate_series(${from}::int, ${from + count - 1}::int) n order by n`.execute(db);
    events.count("engine.crashed");
  };
  return { received, hanging, write, notified };
}

const HANGING = Array.from({ length: IS_LONG ? 1 : 19 }, (_, nth) => `/hang-${nth}`);

onEachServer(t, "another endpoint of the product gets all it should while others hang", async (t, { db }) => {
  const { received, hanging, write } = await openDelivery(t, db, [...HANGING, "/ok"]);
  const total = PER_SECOND * SECONDS;
  const startedAt = performance.now();
  for (let written = 0; written < total; written += PER_SECOND / 10) {
    await write(written, PER_SECOND / 10);
    await delay(Math.max(0, startedAt + ((written + PER_SECOND / 10) / PER_SECOND) * 1000 - performance.now()));
  }
  const wrote = performance.now() - startedAt;
  await until("all came", () => received.length >= total);
  const delays = received.map(({ delayMs }) => delayMs).toSorted((a, b) => a - b);
  const at = (share: number) => delays[Math.floor((delays.length - 1) * share)];
  t.comment(`${total} in ${Math.round(wrote)} ms; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms`);
  t.ok(received.every(({ path }) => path === "/ok"));
  t.equal(received.length, total);
  t.ok(hanging.open > 0, "they hang");
  t.equal(hanging.given, 0, "and none was given up before");
  // Only a quiet machine can tell it.
  if (IS_LONG) t.ok((at(1) ?? Infinity) <= 1000, "the worst delay");
  const last = new Map<string, number>();
  for (const { engine, nth } of received) {
    if ((last.get(engine) ?? -1) > nth) t.fail(`${engine} got ${nth} late`);
    last.set(engine, nth);
  }
});

onEachServer(t, "a test message does not wait behind a message that fails", async (t, { db }) => {
  const { received, write, notified } = await openDelivery(t, db, ["/broken"]);
  await write(0, 1);
  await until("the first failed", () => received.length === 1);
  const payload = { type: "notification.test", created_at: new Date().toISOString(), data: {} };
  await insertDelivery(db, { endpointId: "/broken", payload });
  await insertDelivery(db, { endpointId: "/broken", payload });
  notified.ring();
  await until("both came", () => received.length === 3);
});

onEachServer(t, "a message whose secret cannot be decrypted is given up, and says why", async (t, { db }) => {
  const { received, write } = await openDelivery(t, db, [UNREADABLE, "/ok"]);
  await write(0, 1);
  await until("the other endpoint got its own", () => received.length === 1);
  const given = await until("it is dead", async () => {
    const rows = await db.selectFrom("notification_deliveries").selectAll().where("state", "=", "dead").execute();
    return rows[0];
  });
  t.match(given, { endpoint_id: UNREADABLE, attempts: 1, last_error: /ORCH_SECRET_KEY/ });
});
