import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import t, { type Test } from "tap";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabase, urlOf } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const SEATS = 25;
/** A reader is dropped after 30 s, and each look opens a stream. */
const BETWEEN_LOOKS_MS = 500;
/** Both wait for a reader to be dropped, which takes 30 s. */
t.jobs = 2;
const options = { buffered: true, timeout: 110_000 };
const database = await freshDatabase(t);
const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: urlOf(database) });
const db = new pg.Client(database);
await db.connect();
t.teardown(() => db.end());

async function product(slug: string) {
  const policy = { requests_per_minute: null };
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug, policy } });
  const headers = { "x-platform-key": body.platform_api_key as string };
  const post = (path: string, sent: object) => ask(daemon.url, path, { method: "POST", headers, body: sent });
  return { id: body.id as string, headers, post };
}

/** Opens a stream and reads nothing of its body. */
async function openUnread(test: Test, path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const call = request(daemon.url + path, { headers: { accept: "text/event-stream", ...headers } });
  test.teardown(() => void call.destroy());
  call.on("error", () => undefined).end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  return response;
}
const statusOf = async (test: Test, path: string, headers: Record<string, string>): Promise<number | undefined> => {
  const response = await openUnread(test, path, headers);
  response.destroy();
  return response.statusCode;
};

t.test("an event reader that does not read is dropped, and its seat is free again", options, async (t) => {
  const { id, headers } = await product("events");
  const quiet = Array.from({ length: SEATS - 1 }, () => openUnread(t, "/engines/nobody/events", headers));
  await Promise.all(quiet);
  t.equal((await openUnread(t, "/events", headers)).statusCode, 200);
  t.match(await ask(daemon.url, "/events", { headers: { ...headers, accept: "text/event-stream" } }), {
    status: 503,
    body: { error: { code: "CAPACITY_EXHAUSTED", message: "25 event streams of this caller are open" } },
    headers: { "retry-after": "10" },
  });
  // More than the sockets' buffers hold.
  await db.query(
    `insert into events (id, host_id, type, product_id, actor, data)
     select 'evt_' || gen_random_uuid(), 'h', 'engine.running', $1, 'orchd', jsonb_build_object('x', repeat('x', 100000))
     from generate_series(1, 200)`,
    [id],
  );
  const isFree = async () => {
    await pause(BETWEEN_LOOKS_MS);
    return (await statusOf(t, "/events", headers)) === 200;
  };
  await until("the seat is free", isFree, 90_000);
});

t.test("log streams are limited per product, and one that does not read is dropped", options, async (t) => {
  const { headers, post } = await product("logs");
  const other = await product("other");
  const { body: engine } = await post("/engines/provision", { user_id: "alice" });
  await other.post("/engines/provision", { user_id: "alice", start: false });
  await post("/engines/provision", { user_id: "quiet", start: false });
  t.teardown(() => daemon.admin("/products/logs?force=true", { method: "DELETE" }));
  t.teardown(() => daemon.admin("/products/other?force=true", { method: "DELETE" }));
  const path = "/engines/alice/logs?follow=true&tail=10000";
  const streams = await Promise.all(Array.from({ length: SEATS }, () => openUnread(t, path, headers)));
  t.same(new Set(streams.map(({ statusCode }) => statusCode)), new Set([200]));
  t.match(await ask(daemon.url, path, { headers }), {
    status: 503,
    body: { error: { code: "CAPACITY_EXHAUSTED", message: "25 log streams of this caller are open" } },
    headers: { "retry-after": "10" },
  });
  t.equal(await statusOf(t, path, other.headers), 200, "another product's logs are open");
  for (const stream of streams.slice(1)) stream.destroy();
  await until("there is room again", async () => (await statusOf(t, path, headers)) === 200);

  const log = join(daemon.dataDir, "engines", engine.id, "engine.log");
  const quiet = "/engines/quiet/logs?follow=true";
  const open = await Promise.all(Array.from({ length: SEATS - 1 }, () => openUnread(t, quiet, headers)));
  t.same(new Set(open.map(({ statusCode }) => statusCode)), new Set([200]));
  // In portions: what is written at once may be rotated away before it is followed.
  const more = () => writeFileSync(log, `${"x".repeat(10_000)}\n`.repeat(50), { flag: "a" });
  const isFree = async () => {
    more();
    await pause(BETWEEN_LOOKS_MS);
    return (await statusOf(t, quiet, headers)) === 200;
  };
  await until("its seat is free", isFree, 90_000);
});
