import { createHash } from "node:crypto";
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import pg from "pg";
import t, { type Test } from "tap";
import type { AuditRecord } from "../../src/contract/orchestrator/audit.ts";
import { brokenLink } from "../../src/contract/orchestrator/audit-chain.ts";
import { ask } from "../helpers/api.ts";
import { type Daemon, freePort, launchDaemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabase, freshDatabaseUrl, urlOf } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

async function register(daemon: Daemon, slug = "acme"): Promise<string> {
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug } });
  return body.platform_api_key;
}

t.test("a host that drains takes no new engines, over restarts too, and leaves those it has alone", async (t) => {
  const place = { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t) };
  let daemon = await startDaemon(t, place);
  const key = await register(daemon);
  const post = (path: string, body: unknown = {}) => daemon.platform(key, path, { method: "POST", body });
  const made = await post("/engines/provision", { user_id: "alice" });
  await post("/engines/provision", { user_id: "bob", start: false });
  t.match(await daemon.admin("/admin/drain", { method: "POST" }), { status: 200, body: { draining: true } });
  const refusedBy = async (answer: Promise<{ status: number; text: string; headers: object }>) =>
    t.match(await answer, { status: 503, text: /draining/, headers: { "retry-after": /^\d+$/ } });
  await refusedBy(post("/engines/provision", { user_id: "carol" }));
  await refusedBy(post("/engines/admit", { user_id: "carol" }));
  await refusedBy(post("/engines/bob/start"));
  await refusedBy(daemon.platform(key, "/engines/carol?auto_provision=true"));
  t.equal((await post("/engines/admit", { user_id: "alice" })).status, 200, "who has an engine keeps it");
  t.match(await daemon.admin("/ready"), { status: 503, text: /draining/ });
  t.equal((await ask(made.body.url, "/health")).status, 200);

  await daemon.stop();
  const port = await freePort();
  const { process: next } = launchDaemon({
    ORCH_DATA_DIR: place.dataDir,
    ORCH_PORT: String(port),
    DATABASE_URL: place.databaseUrl,
  });
  t.teardown(() => next.kill());
  const url = `http://127.0.0.1:${port}`;
  await until("it says that it drains", async () => {
    const ready = await ask(url, "/ready").catch(() => null);
    return ready?.status === 503 && /draining/.test(ready.text);
  });
  const admin = { headers: { "x-admin-key": daemon.adminKey } };
  t.match((await ask(url, "/admin/status", admin)).body, { draining: true, engines: { running: 1, stopped: 1 } });
  t.match(await ask(url, "/admin/resume", { ...admin, method: "POST" }), { status: 200, body: { draining: false } });
  t.equal((await ask(url, "/ready")).status, 200);
  const { body } = await ask(url, "/admin/events?limit=200", admin);
  const told = body.data.filter(({ type }: { type: string }) => type.startsWith("host."));
  t.match(told, [
    { type: "host.resumed", actor: "admin" },
    { type: "host.draining", actor: "admin" },
  ]);
  next.kill();
  await until("it has stopped", () => next.exitCode !== null);

  daemon = await startDaemon(t, place);
  t.match(await post("/engines/bob/start"), { status: 200 });
  await daemon.admin("/products/acme?force=true", { method: "DELETE" });
});

t.test("an engine that --stop-engines cannot stop does not keep the others, and is named", async (t) => {
  const database = await freshDatabase(t);
  const place = { dataDir: freshFolder(t), databaseUrl: urlOf(database) };
  const daemon = await startDaemon(t, place);
  const key = await register(daemon);
  const provision = async (body: object) =>
    (await daemon.platform(key, "/engines/provision", { method: "POST", body })).body;
  const stuck = await provision({ user_id: "stuck", start: false });
  const alice = await provision({ user_id: "alice" });
  await daemon.stop();
  const db = new pg.Client(database);
  await db.connect();
  t.teardown(() => db.end());
  await db.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger keep_engines before delete on engines for each row execute function refuse();
    update engines set state = 'destroying' where user_id = 'stuck'`);
  const stopping = launchDaemon(
    { ORCH_DATA_DIR: place.dataDir, ORCH_PORT: String(await freePort()), DATABASE_URL: place.databaseUrl },
    { args: ["--stop-engines"] },
  );
  await until("it has ended", () => stopping.process.exitCode !== null);
  t.equal(stopping.process.exitCode, 1);
  t.match(stopping.output(), "1 engines stopped");
  t.match(stopping.output(), `these engines could not be stopped, see the log: ${stuck.id}`);
  t.equal(await ask(alice.url, "/health").catch(() => "nobody there"), "nobody there");
});

t.test("a second daemon waits as a standby and takes over when the first is gone; its engines live on", async (t) => {
  const dataDir = freshFolder(t);
  const first = await startDaemon(t, { dataDir });
  const key = await register(first);
  const made = await first.platform(key, "/engines/provision", { method: "POST", body: { user_id: "alice" } });
  const port = await freePort();
  const { process: second, output } = launchDaemon({ ORCH_DATA_DIR: dataDir, ORCH_PORT: String(port) });
  t.teardown(() => second.kill());
  const url = `http://127.0.0.1:${port}`;
  const standby = await until("the second one says so", async () => {
    const ready = await ask(url, "/ready").catch(() => null);
    return ready !== null && /standby/.test(ready.text) ? ready : null;
  });
  t.equal(standby.status, 503);
  t.match(standby.headers, { "retry-after": /^\d+$/, "x-request-id": /^req_/ });
  t.equal((await ask(url, "/health")).status, 200);
  t.match(await ask(url, "/engines", { headers: { "x-platform-key": key } }), { status: 503, text: /standby/ });
  const refused = launchDaemon(
    { ORCH_DATA_DIR: dataDir, ORCH_PORT: String(await freePort()) },
    {
      args: ["--stop-engines"],
    },
  );
  await until("it has ended", () => refused.process.exitCode !== null);
  t.equal(refused.process.exitCode, 1);
  t.match(refused.output(), /another orchd holds this host/);

  await first.stop("SIGKILL");
  await until("the second one serves", async () => (await ask(url, "/ready")).status === 200, 30_000);
  t.match(output(), /1 running/);
  const shown = await ask(url, "/engines/alice", { headers: { "x-platform-key": key } });
  t.match(shown.body, { state: "running", pid: made.body.pid });
  second.kill();
  await until("it has stopped", () => second.exitCode !== null);

  const all = launchDaemon({ ORCH_DATA_DIR: dataDir, ORCH_PORT: String(port) }, { args: ["--stop-engines"] });
  await until("it has ended", () => all.process.exitCode !== null, 30_000);
  t.equal(all.process.exitCode, 0);
  t.match(all.output(), /1 engines stopped/);
  t.equal(await ask(made.body.url, "/health").catch(() => "nobody there"), "nobody there");

  const third = await startDaemon(t, { dataDir });
  await until("the engine that is still wanted runs again", async () => {
    const { body } = await third.platform(key, "/engines/alice");
    return body.running;
  });
  const { body } = await third.platform(key, "/engines/alice");
  t.match(body, { restarts: { count: 0 }, desired_state: "running" });
  t.not(body.incarnation, made.body.incarnation);
  await third.admin("/products/acme?force=true", { method: "DELETE" });
});

/** For the tests that need no daemon of their own. */
const daemon = await startDaemon(t, {
  dataDir: freshFolder(t),
  databaseUrl: await freshDatabaseUrl(t),
  env: { ORCH_HOST: "0.0.0.0" },
});

// The first, for it compares the whole log.
t.test("admin and key actions are one hash chain, without a secret in it", async (t) => {
  const key = await register(daemon);
  await daemon.admin("/products/acme/policy", {
    method: "PUT",
    body: { max_engines: 3, engine_env: { LLM_API_KEY: "provider-secret" } },
  });
  await daemon.platform(key, "/engines/provision", { method: "POST", body: { user_id: "alice" } });
  const rotated = await daemon.platform(key, "/engines/alice/rotate-key", { method: "POST", body: {} });
  await daemon.admin("/admin/drain", { method: "POST" });
  await daemon.admin("/admin/resume", { method: "POST" });
  await daemon.admin("/products/acme?force=true", { method: "DELETE" });
  const { body, text } = await daemon.admin("/admin/audit");
  const lines: AuditRecord[] = body.data;
  t.same(
    lines.map(({ entry }) => JSON.parse(entry).action),
    [
      "product.registered",
      "product.policy_changed",
      "engine.key_rotated",
      "host.draining",
      "host.resumed",
      "engine.stopping",
      "engine.destroyed",
      "product.deleted",
    ],
  );
  const destroying = JSON.parse(lines[5]?.entry ?? "{}");
  t.match(destroying, { actor: "admin", engine_id: /^eng_/, detail: { from: "running", to: "destroying" } });
  for (const [index, line] of lines.entries()) t.equal(brokenLink(lines[index - 1] ?? null, line), null);
  for (const secret of [key, rotated.body.engine_api_key, "provider-secret", daemon.adminKey]) {
    t.notOk(text.includes(secret));
  }
  t.same((await daemon.admin("/admin/audit?after=4&limit=1")).body, { data: [lines[4]], next_cursor: "5" });
});

t.test("events come in order, live and from where a reader left off, each once", async (t) => {
  const key = await register(daemon);
  const other = await register(daemon, "other");
  const post = (path: string, body: unknown = {}) => daemon.platform(key, path, { method: "POST", body });
  await daemon.platform(other, "/engines/provision", { method: "POST", body: { user_id: "x", start: false } });
  const first = follow(t, daemon.url, "/events", { "x-platform-key": key });
  await first.open;
  await post("/engines/provision", { user_id: "alice" });
  await until("it runs", () => first.types().includes("engine.running"));
  t.same(first.types(), ["engine.provisioned", "engine.starting", "engine.running"]);
  const last = first.ids().at(-1) ?? "";
  first.end();

  await post("/engines/alice/stop");
  await post("/engines/alice/rotate-key");
  await daemon.platform(key, "/engines/alice", { method: "DELETE" });
  const again = follow(t, daemon.url, "/engines/alice/events", { "x-platform-key": key, "last-event-id": last });
  await until("the end has come", () => again.types().includes("engine.destroyed"));
  t.same(again.types(), ["engine.stopping", "engine.stopped", "engine.stopping", "engine.destroyed"]);
  again.end();

  const { body } = await daemon.platform(key, "/engines/alice/events?limit=3");
  t.same(
    body.data.map(({ type }: { type: string }) => type),
    ["engine.destroyed", "engine.stopping", "engine.stopped"],
    "the newest first, also of an engine that is gone",
  );
  t.equal(body.data[0].request_id.startsWith("req_"), true);
  const next = await daemon.platform(key, `/engines/alice/events?limit=200&cursor=${body.next_cursor}`);
  t.equal(next.body.data.at(-1).type, "engine.provisioned");
  t.notOk(next.text.includes('"x"'), "nothing of another product");

  const gap = follow(t, daemon.url, "/events", {
    "x-platform-key": key,
    "last-event-id": "evt_00000000-0000-7000-8000-000000000000",
  });
  await until("the gap has come", () => gap.types().length > 4);
  t.equal(gap.types()[0], "gap", "before anything else");
  gap.end();
  t.match(await daemon.platform(key, "/events", { headers: { accept: "text/event-stream", "last-event-id": "x" } }), {
    status: 400,
    text: /Last-Event-ID/,
  });
  for (const slug of ["acme", "other"]) await daemon.admin(`/products/${slug}?force=true`, { method: "DELETE" });
});

t.test("one product's streams leave room for others'", async (t) => {
  const [key, other] = [await register(daemon, "many"), await register(daemon, "few")];
  const headers = { "x-platform-key": key };
  const streams = Array.from({ length: 25 }, () => follow(t, daemon.url, "/events", headers));
  await Promise.all(streams.map(({ open }) => open));
  const refused = await ask(daemon.url, "/events", { headers: { ...headers, accept: "text/event-stream" } });
  t.match(refused, { status: 503, text: /CAPACITY_EXHAUSTED/, headers: { "retry-after": "10" } });
  await follow(t, daemon.url, "/events", { "x-platform-key": other }).open;
  streams[0]?.end();
  await until("there is room again", async () => {
    const again = follow(t, daemon.url, "/events", headers);
    await again.open;
    return again.status() === 200;
  });
  t.match(await daemon.admin("/admin/drain", { method: "POST", body: "{bad" }), { status: 400, text: /body/ });
  t.equal((await ask(daemon.url, "/ready")).status, 200, "what was refused has done nothing");
});

t.test("a stream ends when the key it was opened with is no longer good", async (t) => {
  const key = await register(daemon, "rekeyed");
  const headers = { "x-platform-key": key };
  await daemon.platform(key, "/engines/provision", { method: "POST", body: { user_id: "alice" } });
  const streams = ["/events", "/engines/alice/logs?follow=true"].map((path) => follow(t, daemon.url, path, headers));
  await Promise.all(streams.map(({ open }) => open));
  const api_key_hash = createHash("sha256").update("orchp_of-another-key").digest("hex");
  await daemon.admin("/products/rekeyed/platform-key-hash", { method: "PUT", body: { api_key_hash } });
  await until("both have ended", () => streams.every(({ ended }) => ended()), 20_000);
  t.equal((await ask(daemon.url, "/events", { headers })).status, 401);
  await daemon.admin("/products/rekeyed?force=true", { method: "DELETE" });
});

t.test("concurrent scrapes share one rendering of the metrics", async (t) => {
  const scrapes = await Promise.all(Array.from({ length: 64 }, () => ask(daemon.url, "/metrics")));
  const texts = new Set(scrapes.map(({ text }) => text));
  t.ok(texts.size < 32, `${texts.size} renderings`);
});

t.test("metrics are for this host, or for who has the admin key; a proxy is not this host", async (t) => {
  const open = await ask(daemon.url, "/metrics");
  t.equal(open.status, 200);
  t.match(open.headers["content-type"], /^text\/plain; version=0\.0\.4/);
  for (const line of [
    "orch_engines",
    "orch_ports",
    "orch_boot_seconds",
    "orch_events_total",
    "orch_nodejs_eventloop_lag",
  ])
    t.match(open.text, new RegExp(`^# TYPE ${line}`, "m"));
  t.equal((await ask(daemon.url, "/metrics", { headers: { "x-forwarded-for": "8.8.8.8" } })).status, 401);
  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;
  if (address === undefined) return;
  const outside = daemon.url.replace("127.0.0.1", address);
  t.equal((await ask(outside, "/metrics")).status, 401);
  t.equal((await ask(outside, "/metrics", { headers: { "x-admin-key": daemon.adminKey } })).status, 200);
});

/** Reads a live stream until `end`. */
function follow(test: Test, base: string, path: string, headers: Record<string, string>) {
  const opened = Promise.withResolvers<void>();
  let text = "";
  let over = false;
  let status = 0;
  const call = request(base + path, { headers: { ...headers, accept: "text/event-stream" } }, (response) => {
    response.on("data", (chunk: Buffer) => (text += chunk.toString()));
    response.on("end", () => (over = true));
    status = response.statusCode ?? 0;
    opened.resolve();
  });
  call.on("error", () => undefined).end();
  test.teardown(() => void call.destroy());
  const fields = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}: (.+)$`, "gm"))].map((match) => match[1] ?? "");
  return {
    open: opened.promise,
    types: () => fields("event"),
    ids: () => fields("id"),
    ended: () => over,
    status: () => status,
    end: () => call.destroy(),
  };
}
