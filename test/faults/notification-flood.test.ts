import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import pg from "pg";
import t from "tap";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { LONG } from "./parts/long.ts";

const [PER_SECOND, SECONDS] = LONG ? [1000, 30] : [100, 3];
const TICK_MS = 100;
const ENGINES = 300;
/** The short form runs beside other tests. */
const LATEST_MS = LONG ? 1000 : 5000;
t.setTimeout((SECONDS + 90) * 1000);

const fleet = await openFleet(t);
const delays: number[] = [];
const service = createServer(async (request, response) => {
  const { data } = JSON.parse(await text(request)) as { data: { version: number } };
  if (request.url === "/hang") return;
  delays.push(Date.now() - data.version);
  response.writeHead(204).end();
}).listen(0, "127.0.0.1");
await once(service, "listening");
t.teardown(() => {
  service.closeAllConnections();
  service.close();
});
const address = `127.0.0.1:${(service.address() as AddressInfo).port}`;

t.test("an endpoint that hangs delays no event of another one", async (t) => {
  await fleet.setPolicy({ private_hosts: [address] });
  const ids: string[] = [];
  for (const path of ["hang", "quick"]) {
    const body = { url: `http://${address}/${path}`, events: ["engine.running"] };
    ids.push((await fleet.platform("POST", "/notifications/endpoints", body)).body.id);
  }
  const database = new pg.Client(fleet.databaseUrl);
  await database.connect();
  const { rows } = await database.query("select id from products");
  const startedAt = performance.now();
  let sent = 0;
  while (sent < PER_SECOND * SECONDS) {
    const due = Math.min(PER_SECOND * SECONDS, Math.ceil(((performance.now() - startedAt) / 1000) * PER_SECOND));
    await database.query(
      `insert into events (id, host_id, type, product_id, user_id, engine_id, actor, data)
       select 'evt_' || nth, 'host', 'engine.running', $1, 'u', 'eng_' || nth % $2::int, 'orchd',
         jsonb_build_object('version', floor(extract(epoch from clock_timestamp()) * 1000))
       from generate_series($3::int, $4::int - 1) as nth`,
      [rows[0].id, ENGINES, sent, due],
    );
    sent = due;
    // Rings, as the daemon's own events do.
    await fleet.platform("PATCH", `/notifications/endpoints/${ids[1]}`, { enabled: true });
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await database.end();
  await until("all came", () => delays.length >= sent, 60_000);
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  t.comment(`${sent} events, ${PER_SECOND}/s: delay p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, last ${at(1)} ms`);
  t.equal(delays.length, sent, "each came once");
  t.ok(at(0.99) <= LATEST_MS, `p99 ${at(0.99)} ms`);
});
