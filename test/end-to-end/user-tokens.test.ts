import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { connect } from "node:net";
import pg from "pg";
import t, { type Test } from "tap";
import { createUserClient } from "../../src/client/user-client.ts";
import { type Ask, ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const port = await freePort();
const base = `http://localhost:${port}`;
const APP = "https://app.example.com";
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: base } });
const { daemon } = fleet;
const policy = (body: object) => daemon.admin("/products/sleepy/policy", { method: "PUT", body });

/** Another product with one user. */
async function tokenOfAnother(t: Test, slug: string, user: string) {
  const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug } });
  t.teardown(() => daemon.admin(`/products/${slug}?force=true`, { method: "DELETE" }));
  const call = (path: string, body: object) =>
    daemon.platform(product.platform_api_key, path, { method: "POST", body });
  const { body: engine } = await call("/engines/provision", { user_id: user });
  return { engine, token: (await call(`/engines/${user}/tokens`, {})).body.token as string };
}
await policy({ allowed_origins: [APP] });
const alice = await fleet.provision("alice");
const bob = await fleet.provision("bob");

const tokenOf = async (engine: typeof alice, body: object = {}) => {
  const { status, body: made } = await engine.post("tokens", body);
  t.equal(status, 201);
  return made.token as string;
};
const me = (token: string, path: string, more: Ask = {}) =>
  ask(base, `/me${path}`, { ...more, headers: { authorization: `Bearer ${token}`, ...more.headers } });
const partsOf = (token: string) => {
  const [header = "", payload = ""] = token.slice("orcht_".length).split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  return { header: read(header), payload: read(payload) };
};
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const INVALID = { status: 401, body: { error: "INVALID_TOKEN" } };

t.test("a token calls its user's engine: a turn streams, tasks are listed, and no key is needed", async (t) => {
  const { status, body, headers } = await alice.post("tokens", { ttl_s: 60, metadata: { session: "s1" } });
  t.match({ status, body }, { status: 201, body: { id: /^tok_/, token: /^orcht_eyJ/, url: base } });
  t.equal(headers["cache-control"], "no-store");
  t.equal(body.scope, "turns tasks:read tasks:write files:read files:write answers");
  const client = createUserClient({ url: body.url, token: body.token });
  t.equal(await client.execute({ taskId: "t1", message: "/say Hello" }).text(), "Hello");
  t.match((await client.listTasks()).items, [{ task_id: "t1" }]);
  t.match(await me(body.token, "/health"), { status: 200, body: { engine_id: alice.id } });
  const line = (await daemon.admin("/admin/audit?limit=200")).text;
  t.match(line, body.id);
  t.notMatch(line, body.token);
  t.match(line, "user_token.created");
});

t.test("bad input names the field", async (t) => {
  for (const [body, field] of [
    [{ ttl_s: 0 }, "ttl_s"],
    [{ ttl_s: 3601 }, "ttl_s"],
    [{ scope: "" }, "scope"],
    [{ scope: "turns admin" }, "scope"],
    [{ scope: "constructor" }, "scope"],
    [{ metadata: { a: "x".repeat(1100) } }, "metadata"],
  ] as const)
    t.match(await alice.post("tokens", body), { status: 400, body: { error: { message: new RegExp(`^${field}`) } } });
  const bad = await policy({ allowed_origins: ["*"] });
  t.match(bad, { status: 400, body: { error: { message: /allowed_origins.*exact origin.*\* is not possible/ } } });
  for (const origin of ["https://app.example.com/", "app.example.com", "null", "https://a.example.com:443"])
    t.equal((await policy({ allowed_origins: [origin] })).status, 400, origin);
});

t.test("attack: another user's task, which the token's own engine does not know", async (t) => {
  await alice.execute("private", "/say secret of alice").then((stream) => stream.all());
  const token = await tokenOf(bob);
  t.equal((await me(token, "/tasks/private/messages")).status, 404);
  t.notMatch((await me(token, "/tasks")).text, "private");
  for (const path of [`/../e/${alice.id}/tasks`, `/%2e%2e/e/${alice.id}/tasks`, `//e/${alice.id}/tasks`, "/..;/tasks"])
    t.equal((await me(token, path)).status, 404, path);
});

t.test("attack: another product's token reaches its own user's engine alone", async (t) => {
  const { engine, token } = await tokenOfAnother(t, "other", "alice");
  t.match(await me(token, "/health"), { body: { engine_id: engine.id } });
  const headers = { authorization: `Bearer ${token}`, "x-engine-key": token };
  t.equal((await ask(alice.url, "/hitl/pending", { headers })).status, 401, "a token is no engine key");
});

t.test("attack: calls beyond the scope, the catalog, requests to the model, learning and control", async (t) => {
  const reader = await tokenOf(alice, { scope: "tasks:read" });
  t.match(await me(reader, "/tasks"), { status: 200 });
  for (const [method, path, scope] of [
    ["POST", "/execute", "turns"],
    ["GET", "/hitl/pending", "answers"],
    ["PATCH", "/tasks/t1", "tasks:write"],
    ["DELETE", "/tasks/t1", "tasks:write"],
    ["GET", "/memory/knowledge", "memory:read"],
    ["DELETE", "/memory", "memory:erase"],
  ] as const)
    t.match(await me(reader, path, { method }), {
      status: 403,
      body: { error: "INSUFFICIENT_SCOPE", details: { scope } },
    });
  const all = await tokenOf(alice, { scope: "turns tasks files answers memory:read" });
  t.match(await me(all, "/tasks/t1?forget=true", { method: "DELETE" }), {
    status: 403,
    body: { details: { scope: "memory:erase" } },
  });
  const turn = (await me(all, "/turns")).body.items[0].turn_id;
  for (const path of [
    "/assets/catalog",
    "/assets/servers",
    `/turns/${turn}/requests`,
    "/memory/skills",
    "/ASSETS/catalog/",
  ])
    t.match(await me(all, path), { status: 403, body: { error: "INSUFFICIENT_SCOPE", message: /no token/ } }, path);
  t.equal((await me(all, "/admin/lc/trigger", { method: "POST" })).status, 403);
  for (const path of ["/control/status", "/CONTROL/status", "/control/%73tatus", "//control/status"])
    t.equal((await me(all, path, { headers: { "x-control-token": "x" } })).status, 404, path);
  t.equal((await me(all, "/memory/export")).status, 200);
});

t.test("attack: paths that lead out of the engine's own routes", async (t) => {
  const token = await tokenOf(alice, { scope: "turns tasks files answers memory:read memory:erase" });
  for (const path of [
    "/;/control/status",
    "/./control/status",
    "/%63ontrol/status",
    "/control%2fstatus",
    "/control/status?",
    "/control/status/",
    "/control/status#x",
    "/tasks/../control/status",
    "/tasks/..%2fcontrol%2fstatus",
    `/..\\e/${bob.id}/tasks`,
    "/../engines",
    "/../admin/audit",
    "//tasks",
  ])
    t.equal((await me(token, path)).status, 404, path);
  for (const [path, key] of [
    [`/e/${alice.id}/tasks`, "x-engine-key"],
    ["/engines/alice", "x-platform-key"],
    ["/admin/audit", "x-admin-key"],
  ] as const)
    t.equal((await ask(base, path, { headers: { authorization: `Bearer ${token}`, [key]: token } })).status, 401, path);
  const named = { connection: "x-engine-key, authorization", "x-engine-key": bob.key };
  t.match(await me(token, "/health", { headers: named }), { status: 200, body: { engine_id: alice.id } });
});

t.test("attack: alg none, key confusion, another key's signature, a changed payload, a stolen kid", async (t) => {
  const token = await tokenOf(alice);
  const { header, payload } = partsOf(token);
  const unsigned = `orcht_${encoded({ ...header, alg: "none" })}.${encoded(payload)}.`;
  t.match(await me(unsigned, "/tasks"), INVALID);
  const confused = `${encoded({ ...header, alg: "HS256" })}.${encoded(payload)}`;
  const hmac = createHmac("sha256", JSON.stringify(header)).update(confused).digest("base64url");
  t.match(await me(`orcht_${confused}.${hmac}`, "/tasks"), INVALID);
  const { privateKey } = generateKeyPairSync("ed25519");
  const forge = (head: object, body: object) => {
    const data = `${encoded(head)}.${encoded(body)}`;
    return `orcht_${data}.${sign(null, Buffer.from(data), privateKey).toString("base64url")}`;
  };
  t.match(await me(forge(header, payload), "/tasks"), INVALID);
  for (const kid of ["../../etc/passwd", "' or 1=1 --", "", "\u0000", "x".repeat(2000)])
    t.match(await me(forge({ ...header, kid }, payload), "/tasks"), INVALID, kid.slice(0, 20));
  t.match(await me(forge({ ...header, jwk: privateKey.export({ format: "jwk" }) }, payload), "/tasks"), INVALID);
  const [, , signature] = token.split(".");
  t.match(await me(`orcht_${encoded(header)}.${encoded({ ...payload, sub: bob.id })}.${signature}`, "/tasks"), INVALID);
  for (const bad of ["orcht_", "orcht_a.b.c", "sk-orch-x", alice.key, "orcht_..", `orcht_${"e30.".repeat(900)}`])
    t.match(await me(bad, "/tasks"), INVALID, bad.slice(0, 20));
  t.match(await ask(base, "/me/tasks"), INVALID);
  t.match(await ask(base, `/me/tasks?token=${token}`), INVALID, "a token in the address is none");
  t.match(await ask(base, "/me/tasks", { headers: { cookie: `token=${token}` } }), INVALID);
});

t.test("attack: a token of 1 MiB is refused before it is read", async (t) => {
  const socket = connect(port, "localhost").on("error", () => undefined);
  socket.write(
    `GET /me/tasks HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer orcht_${"a".repeat(1024 ** 2)}\r\n\r\n`,
  );
  let answered = "";
  socket.on("data", (chunk: Buffer) => (answered += chunk.toString()));
  await until("the connection is closed", () => socket.closed);
  // The daemon closes before all of it has come, which can cost the answer.
  t.match(answered, /^(HTTP\/1\.1 431 |$)/);
  t.equal((await me(await tokenOf(alice), "/tasks")).status, 200);
});

t.test("attack: an expired token, and its open stream", async (t) => {
  const token = await tokenOf(alice, { ttl_s: 2 });
  const stream = await openStream(`${base}/me`, "/execute/replay?follow=true", {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
  });
  t.equal(stream.status, 200);
  await until("the stream is cut", () => stream.ended);
  t.match(await me(token, "/tasks"), INVALID);
});

t.test("attack: a revoked token, whose open stream ends within a second", async (t) => {
  const token = await tokenOf(alice);
  const others = await tokenOf(bob);
  const streams = await Promise.all(
    [token, others].map((each) =>
      openStream(`${base}/me`, "/execute/replay?follow=true", {
        headers: { authorization: `Bearer ${each}`, accept: "text/event-stream" },
      }),
    ),
  );
  t.match(await alice.post("tokens/revoke"), { status: 200, body: { epoch: 1 } });
  const at = performance.now();
  await until("the stream is cut", () => streams[0]?.ended);
  t.ok(performance.now() - at < 1000);
  t.match(await me(token, "/tasks"), INVALID);
  t.notOk(streams[1]?.ended, "another user's stays");
  t.equal((await me(others, "/tasks")).status, 200);
  t.equal((await me(await tokenOf(alice), "/tasks")).status, 200, "a new one is valid");
  streams[1]?.cut();
});

t.test("a page of a listed origin may call, and no other", async (t) => {
  const token = await tokenOf(alice);
  const preflight = (origin: string) =>
    ask(base, "/me/execute", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
    });
  const { status, headers } = await preflight(APP);
  t.match(
    { status, headers },
    {
      status: 204,
      headers: {
        "access-control-allow-origin": APP,
        "access-control-allow-headers": "authorization",
        "access-control-max-age": "600",
        vary: "Origin",
      },
    },
  );
  t.notOk("access-control-allow-credentials" in headers);
  for (const origin of [
    "https://evil.example.com",
    "null",
    "https://app.example.com.evil.com",
    "http://app.example.com",
  ]) {
    const refused = await preflight(origin);
    t.equal(refused.status, 403, origin);
    t.notOk("access-control-allow-origin" in refused.headers, origin);
    const call = await me(token, "/tasks/x", { method: "DELETE", headers: { origin } });
    t.match(call, { status: 403, body: { error: "ORIGIN_NOT_ALLOWED" } }, origin);
  }
  const called = await me(token, "/tasks", { headers: { origin: APP } });
  t.match(called, {
    status: 200,
    headers: { "access-control-allow-origin": APP, "access-control-expose-headers": /X-Turn-Id/ },
  });
  const refused = await me("orcht_a.b.c", "/tasks", { headers: { origin: APP } });
  t.match(refused, { status: 401, headers: { "access-control-allow-origin": APP } }, "the page can read why");
  const { token: dora } = await tokenOfAnother(t, "third", "dora");
  const foreign = await me(dora, "/tasks", { headers: { origin: APP } });
  t.match(foreign, { status: 403, body: { error: "ORIGIN_NOT_ALLOWED" } }, "another product's page");
});

t.test("a preflight wakes nobody, and a call does", async (t) => {
  const token = await tokenOf(bob);
  await until(
    "bob sleeps",
    async () => (await bob.post("sleep")).status === 200 || (await bob.show()).state === "sleeping",
  );
  await ask(base, "/me/tasks", { method: "OPTIONS", headers: { origin: APP, "access-control-request-method": "GET" } });
  t.equal((await bob.show()).state, "sleeping");
  t.equal((await me(token, "/tasks")).status, 200);
  await bob.isIn("running");
});

t.test("a user's calls are limited by themselves", async (t) => {
  await policy({ user_requests_per_minute: 3 });
  const eve = await fleet.provision("eve");
  const token = await tokenOf(eve);
  const statuses = [];
  for (let call = 0; call < 4; call++) statuses.push((await me(token, "/tasks")).status);
  t.same(statuses, [200, 200, 200, 429]);
  const refused = await me(token, "/tasks");
  t.match(refused, { body: { error: "RATE_LIMITED" }, headers: { "retry-after": /^\d+$/ } });
  t.equal((await me(await tokenOf(await fleet.provision("gil")), "/tasks")).status, 200);
  await policy({ user_requests_per_minute: null });
  t.equal((await me(token, "/tasks")).status, 200);
});

t.test("a destroyed engine's token ends with it", async (t) => {
  const fred = await fleet.provision("fred");
  const token = await tokenOf(fred);
  t.equal((await me(token, "/tasks")).status, 200);
  await fleet.platform("DELETE", "/engines/fred");
  t.not((await me(token, "/tasks")).status, 200);
  // The daemon hears of it by a notification of the database. Until then there is no engine.
  await until("the token is refused", async () => (await me(token, "/tasks")).status === 401);
  t.match(await me(token, "/tasks"), INVALID);
});

t.test("attack: replay of a token whose signing key was replaced more than an hour ago", async (t) => {
  const token = await tokenOf(alice);
  const database = new pg.Client(fleet.databaseUrl);
  await database.connect();
  t.teardown(() => database.end());
  const replaceKey = (ago: string) =>
    database.query(`update token_keys set replaced_at = now() - interval '${ago}' where kid = $1`, [
      partsOf(token).header.kid,
    ]);
  await replaceKey("59 minutes");
  // The next daemon reads the keys anew.
  await daemon.stop();
  await fleet.restart();
  t.equal((await me(token, "/tasks")).status, 200, "a replaced key is accepted for an hour");
  await replaceKey("61 minutes");
  await fleet.daemon.stop();
  await fleet.restart();
  t.match(await me(token, "/tasks"), INVALID);
  const next = await tokenOf(alice);
  t.not(partsOf(next).header.kid, partsOf(token).header.kid);
  t.equal((await me(next, "/tasks")).status, 200);
});
