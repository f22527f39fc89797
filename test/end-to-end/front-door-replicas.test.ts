import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { createUserClient } from "../../src/client/browser.ts";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { ask } from "../helpers/api.ts";
import type { Daemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { openReplicas } from "../helpers/replicas.ts";
import { until } from "../helpers/until.ts";

const TAKEOVER_MS = 10_000;
const REVOKED_MS = 1000;
const MIB = 1024 ** 2;

const replicas = await openReplicas(t, { products: ["acme"] });
const leader = await replicas.start();
const follower = await replicas.start();
const next = await replicas.start();

const messages: Record<string, string>[] = [];
const service = createServer(async (request, response) => {
  messages.push(JSON.parse(await text(request)).data);
  response.writeHead(204).end();
}).listen(0, "127.0.0.1");
await once(service, "listening");
t.teardown(() => (service.closeAllConnections(), service.close()));
const address = `127.0.0.1:${(service.address() as AddressInfo).port}`;

const policy = {
  max_engines: null,
  requests_per_minute: null,
  user_requests_per_minute: 60,
  idle_stop_s: 0,
  drain_s: 1,
  allowed_origins: ["https://app.example"],
  private_hosts: [address],
};
const registered = await follower.admin("/products/register", { method: "POST", body: { slug: "acme", policy } });
const key: string = registered.body.platform_api_key;
const platform = (daemon: Daemon, method: string, path: string, body?: object) =>
  daemon.platform(key, path, { method, ...(body !== undefined && { body }) });

const provision = async (user: string) => {
  const { status, body, text: answer } = await platform(follower, "POST", "/engines/provision", { user_id: user });
  if (status !== 201) throw new Error(answer);
  return { user, id: body.id as string, key: body.engine_api_key as string };
};
const mint = async (user: string, body: object = {}): Promise<string> =>
  (await platform(follower, "POST", `/engines/${user}/tokens`, body)).body.token;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** How often this daemon has passed a call on to the leader. */
const passedOn = async (daemon: Daemon) => {
  const { text: shown } = await ask(daemon.url, "/metrics");
  return [...shown.matchAll(/^orch_replica_calls_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
};
const anna = await provision("anna");
const bob = await provision("bob");

t.test("files go up and down through a follower, whole and in ranges", async (t) => {
  const url = `${follower.url}/e/${anna.id}`;
  const files = createEngineClient({ url, key: anna.key }).files;
  const content = Buffer.alloc(8 * MIB, "0123456789");
  const stored = await files.write("data/large.bin", content);
  const read = async (range?: string) => {
    const { chunks } = await files.read({ path: "data/large.bin", range });
    return Buffer.concat(await Array.fromAsync(chunks));
  };
  t.ok((await read()).equals(content));
  t.equal((await read("bytes=10-13")).toString(), "0123");
  const late = files.write("data/large.bin", "late", { ifMatch: '"other"' });
  await t.rejects(late, { code: "PRECONDITION_FAILED" });
  t.match(await files.write("data/large.bin", "new", { ifMatch: `"${stored.digest}"` }), { created: false });
  const archive = Buffer.concat(await Array.fromAsync((await files.archive({ path: "data", format: "zip" })).chunks));
  t.equal(archive.subarray(0, 2).toString(), "PK");
  const { link } = (
    await ask(url, "/files/links", {
      method: "POST",
      headers: { "x-engine-key": anna.key },
      body: { path: "data/large.bin", ttl_s: 60 },
    })
  ).body;
  t.match(await ask(follower.url, link), {
    status: 200,
    text: "new",
    headers: { "content-disposition": /attachment/ },
  });
});

t.test("a call that wakes an engine passes through the leader, and its files are there", async (t) => {
  const url = `${follower.url}/e/${bob.id}`;
  const files = createEngineClient({ url, key: bob.key }).files;
  await files.write("a.txt", "kept");
  await until("it sleeps", async () => (await platform(follower, "POST", "/engines/bob/sleep", {})).status === 200);
  const reader = createUserClient({ url: follower.url, token: await mint("bob", { scope: "files:read" }) });
  const { chunks } = await reader.files.read({ path: "a.txt" });
  t.equal(Buffer.concat(await Array.fromAsync(chunks)).toString(), "kept");
});

t.test("a follower calls the engine of a token's user by itself", async (t) => {
  const headers = bearer(await mint("anna"));
  const me = (path: string, more: object = {}) => ask(`${follower.url}/me`, path, { headers, ...more });
  t.equal((await me("/tasks")).status, 200);
  const before = await passedOn(follower);
  t.match(await me("/tasks"), { status: 200, headers: { "x-content-type-options": "nosniff" } });
  const page = { ...headers, origin: "https://app.example" };
  t.match(await me("/tasks", { headers: page }), { headers: { "access-control-allow-origin": "https://app.example" } });
  const preflight = { origin: "https://app.example", "access-control-request-method": "POST" };
  t.equal((await me("/execute", { method: "OPTIONS", headers: preflight })).status, 204);
  t.equal(await passedOn(follower), before, "without the leader");
  for (const [title, path, more, expected] of [
    ["attack: another site", "/tasks", { headers: { ...headers, origin: "https://evil.example" } }, 403],
    ["attack: a call beyond the scope", "/assets/catalog", {}, 403],
    ["attack: another path", "/control/sleep", { method: "POST" }, 404],
    ["attack: headers that claim more", "/assets/catalog", { headers: { ...headers, "x-engine-key": bob.key } }, 403],
    ["attack: no token", "/tasks", { headers: { "x-engine-key": anna.key } }, 401],
    [
      "attack: a token that is changed",
      "/tasks",
      { headers: bearer(`${headers.authorization.slice(7, -8)}AAAAAAAA`) },
      401,
    ],
  ] as const)
    t.equal((await me(path, more)).status, expected, title);
  t.match(await me("/tasks", { headers: {} }), { headers: { "www-authenticate": /invalid_token/ } });
});

t.test("a follower cuts the stream of a revoked token within a second", async (t) => {
  const token = await mint("anna");
  const stream = await openStream(`${follower.url}/me`, "/execute/replay?follow=true", {
    headers: { ...bearer(token), accept: "text/event-stream" },
  });
  t.equal(stream.status, 200);
  t.equal((await platform(follower, "POST", "/engines/anna/tokens/revoke")).status, 200);
  const at = performance.now();
  await until("it is cut", () => stream.ended);
  const ms = Math.round(performance.now() - at);
  t.ok(ms < REVOKED_MS, `${ms} ms`);
  t.match(await ask(`${follower.url}/me`, "/tasks", { headers: bearer(token) }), { status: 401 });
});

t.test("attack: more calls than the policy allows, through a follower", async (t) => {
  const headers = bearer(await mint("bob"));
  const calls = Array.from({ length: 80 }, () => ask(`${follower.url}/me`, "/tasks", { headers }));
  const refused = (await Promise.all(calls)).filter(({ status }) => status === 429);
  t.ok(refused.length >= 20, `${refused.length} of 80`);
  t.match(refused[0], { body: { error: "RATE_LIMITED" }, headers: { "retry-after": /^\d+$/ } });
});

t.test("streams of end users through a follower and notifications outlive the leader", async (t) => {
  const events = ["turn.completed", "engine.provisioned"];
  const made = await platform(follower, "POST", "/notifications/endpoints", { url: `http://${address}/`, events });
  t.equal(made.status, 201);
  const endpoint = `/notifications/endpoints/${made.body.id}`;
  // What waits while the leader dies.
  t.match(await platform(follower, "PATCH", endpoint, { enabled: false }), { status: 200, body: { enabled: false } });
  const token = await mint("anna");
  const [turn, following] = await Promise.all([
    openStream(`${follower.url}/me`, "/execute", {
      headers: bearer(token),
      body: { task_id: "long", message: "/ask Which? | red | blue" },
    }),
    openStream(`${follower.url}/me`, "/execute/replay?follow=true", {
      headers: { ...bearer(token), accept: "text/event-stream" },
    }),
  ]);
  const question = await turn.first("hitl_request");
  await provision("carl");
  leader.process.kill("SIGKILL");
  t.comment(`a killed leader was replaced after ${Math.round(await replicas.awaitLeader(TAKEOVER_MS))} ms`);
  t.notOk(turn.ended || following.ended, "no stream was cut");
  const answer = { request_id: question.data["request_id"], answer: "red" };
  await ask(`${follower.url}/me`, "/hitl/respond", { method: "POST", headers: bearer(token), body: answer });
  t.match((await turn.all()).at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  const resume = () => platform(next, "PATCH", endpoint, { enabled: true });
  await until("the endpoint is resumed", async () => (await resume()).status === 200);
  await until("both events were told", () => messages.length >= 2);
  t.same(new Set(messages.map(({ user_id }) => user_id)), new Set(["anna", "carl"]));
  await until("none waits", async () => (await platform(next, "GET", endpoint)).body.pending === 0);
  t.notOk(following.ended);
  t.equal((await platform(next, "POST", "/engines/anna/tokens/revoke")).status, 200);
  const at = performance.now();
  await until("the stream that began before is cut", () => following.ended);
  t.ok(performance.now() - at < REVOKED_MS);
});
