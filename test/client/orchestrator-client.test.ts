import t, { type Test } from "tap";
import type { ClientLimits } from "../../src/client/limits.ts";
import { createOrchestratorClient } from "../../src/client/orchestrator-client.ts";
import type { Retry } from "../../src/client/http-call.ts";
import type { OrchestratorEvent } from "../../src/client/orchestrator-stream.ts";
import { createAdminClient } from "../../src/client/admin-client.ts";
import { type FakeAnswer, type FakeServer, engine, fault, product, startFakeServer } from "../helpers/fake-server.ts";
import { QUICK, open } from "./wire.ts";

async function withServer(t: Test, limits: Partial<ClientLimits> = {}) {
  const server = await startFakeServer(t);
  const parts = { url: server.url, platformKey: "orchp_test", limits: { ...QUICK, ...limits } };
  return { server, client: createOrchestratorClient(parts) };
}

const made = { ...engine(), engine_api_key: "sk-orch-new" };
const paths = (server: FakeServer) => server.calls.map(({ method, path }) => `${method} ${path}`);

/** Answers by each of these in its turn; null is a connection that is lost. */
function answering(server: FakeServer, route: string, answers: readonly (FakeAnswer | null)[]): void {
  let next = 0;
  server.on(route, (_call, response) => {
    const answer = answers[Math.min(next++, answers.length - 1)];
    if (answer !== null) return answer;
    response.socket?.destroy();
    return undefined;
  });
}

t.test("each call has its route, its key and its fields", async (t) => {
  const { server, client } = await withServer(t);
  const user = "a/b ö";
  const path = `/engines/${encodeURIComponent(user)}`;
  server.on("POST /engines/provision", { status: 201, body: made });
  server.on("POST /engines/admit", { body: { ...made, engine_api_key: null } });
  server.on(`GET ${path}`, { body: engine() });
  server.on(`POST ${path}/start`, { body: engine() });
  server.on(`POST ${path}/sleep`, { body: engine() });
  server.on(`POST ${path}/stop`, { body: { ...engine({ state: "stopped" }), stop_result: "drained" } });
  server.on(`POST ${path}/rotate-key`, { body: { ...made, previous_key_expires_at: "2026-11-01T12:00:00.000Z" } });
  server.on(`DELETE ${path}`, { body: { destroyed: true } });
  server.on(`GET ${path}/wait`, { body: engine() });
  t.equal((await client.provision({ userId: user, metadata: { a: 1 }, start: false })).engine_api_key, "sk-orch-new");
  t.equal((await client.admit({ userId: user })).engine_api_key, null);
  await client.get(user);
  await client.get(user, { autoProvision: true });
  await client.start(user);
  await client.sleep(user);
  t.equal((await client.stop(user, { drainS: 5, force: true })).stop_result, "drained");
  await client.rotateKey(user, { graceS: 60 });
  await client.wait(user, { state: "stopped", timeoutS: 5 });
  t.same(await client.destroy(user, { keepData: true }), { destroyed: true });
  t.same(paths(server), [
    "POST /engines/provision",
    "POST /engines/admit",
    `GET ${path}`,
    `GET ${path}?auto_provision=true`,
    `POST ${path}/start`,
    `POST ${path}/sleep`,
    `POST ${path}/stop`,
    `POST ${path}/rotate-key`,
    `GET ${path}/wait?state=stopped&timeout_s=5`,
    `DELETE ${path}?keep_data=true`,
  ]);
  t.same(
    server.calls.filter(({ method }) => method === "POST").map(({ body }) => body),
    [
      { user_id: user, metadata: { a: 1 }, start: false },
      { user_id: user },
      {},
      {},
      { drain_s: 5, force: true },
      { grace_s: 60 },
    ],
  );
  t.ok(server.calls.every(({ headers }) => headers["x-platform-key"] === "orchp_test"));
  const keys = server.calls.flatMap(({ headers }) => headers["idempotency-key"] ?? []);
  t.equal(new Set(keys).size, 6, "each change has a name of its own");
});

t.test("a provision whose answer is lost is repeated under its name, and makes one engine", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, "POST /engines/provision", [
    null,
    fault(409, "OPERATION_IN_PROGRESS", "the first call is at work"),
    { status: 201, headers: { "idempotent-replayed": "true" }, body: { ...made, engine_api_key: null } },
  ]);
  const tries: string[] = [];
  const record = await client.provision({ userId: "alice", onRetry: ({ error }) => tries.push(error.code) });
  t.equal(record.engine_api_key, null, "which was told once, and lost");
  t.same(tries, ["UNREACHABLE", "OPERATION_IN_PROGRESS"]);
  t.equal(new Set(server.calls.map(({ headers }) => headers["idempotency-key"])).size, 1);
});

t.test("refusals are thrown by their code, with the request's name", async (t) => {
  const { server, client } = await withServer(t);
  for (const [status, code] of [
    [409, "ENGINE_ALREADY_EXISTS"],
    [429, "QUOTA_EXCEEDED"],
    [403, "POLICY_DENIED"],
    [401, "INVALID_PLATFORM_KEY"],
    [504, "BOOT_TIMEOUT"],
    [503, "PORT_EXHAUSTION"],
  ] as const) {
    server.calls.length = 0;
    server.on("POST /engines/provision", fault(status, code, "no"));
    await t.rejects(client.provision({ userId: "alice" }), { code, status, message: "no", requestId: "req-1" });
    t.equal(server.calls.length, 1, code);
  }
});

t.test("what passes is waited out, as long as it asks for", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, "POST /engines/alice/start", [
    { ...fault(429, "RATE_LIMITED", "slow down"), headers: { "retry-after": "0" } },
    { ...fault(503, "SERVICE_UNAVAILABLE", "starting"), headers: { "retry-after": "0" } },
    { body: engine() },
  ]);
  t.equal((await client.start("alice")).state, "running");
  answering(server, "GET /engines/alice", [
    { ...fault(429, "RATE_LIMITED", "no"), headers: { "retry-after": "3600" } },
  ]);
  await t.rejects(client.get("alice"), { code: "RATE_LIMITED", retryAfterS: 3600 });
  server.calls.length = 0;
  answering(server, "POST /engines/alice/start", [fault(502, "BACKEND_ERROR", "no")]);
  await t.rejects(client.start("alice"), { code: "BACKEND_ERROR" });
  t.equal(server.calls.length, 2, "once more, and then it is the caller's");
});

t.test("a rotation whose answer is lost is not repeated: it would make a third key", async (t) => {
  const { server, client } = await withServer(t);
  answering(server, "POST /engines/alice/rotate-key", [null]);
  await t.rejects(client.rotateKey("alice"), { code: "UNREACHABLE" });
  t.equal(server.calls.length, 1);
});

t.test("an engine destroyed by a call whose answer was lost is destroyed", async (t) => {
  const { server, client } = await withServer(t);
  const gone = fault(404, "ENGINE_NOT_FOUND", "no engine");
  answering(server, "DELETE /engines/alice", [null, gone]);
  t.same(await client.destroy("alice"), { destroyed: true });
  answering(server, "DELETE /engines/alice", [gone]);
  await t.rejects(client.destroy("alice"), { code: "ENGINE_NOT_FOUND" });
});

t.test("a list goes on over its pages as it is read, and no further", async (t) => {
  const { server, client } = await withServer(t);
  server.on("GET /engines", ({ path }) => {
    const cursor = new URL(path, "http://x").searchParams.get("cursor");
    const data = [engine({ id: `${cursor}-1` }), engine({ id: `${cursor}-2` })];
    return { body: { data, next_cursor: cursor === null ? "c2" : null } };
  });
  const ids: string[] = [];
  for await (const { id } of client.list({ state: "running", pageSize: 2 })) ids.push(id);
  t.same(ids, ["null-1", "null-2", "c2-1", "c2-2"]);
  t.equal(server.calls[1]?.path, "/engines?limit=2&cursor=c2&state=running");
  server.calls.length = 0;
  for await (const _ of client.list()) break;
  t.equal(server.calls.length, 1);
});

t.test("users that fetch cannot name are refused here", async (t) => {
  const { server, client } = await withServer(t);
  for (const user of ["", ".", "..", "\ud800"]) await t.rejects(client.get(user), { code: "INVALID_ARGUMENT" });
  t.equal(server.calls.length, 0);
});

t.test("events resume after the last one, each once, past a cut and a refusal; a gap is reported", async (t) => {
  const { server, client } = await withServer(t);
  const event = (id: string) =>
    `id: ${id}\nevent: engine.running\ndata: ${JSON.stringify({ id, type: "engine.running" })}\n\n`;
  let streams = 0;
  server.on("GET /events", ({ headers }, response) => {
    if (!headers.accept?.includes("text/event-stream")) return { body: { data: [{ id: "evt_0" }], next_cursor: null } };
    streams++;
    if (streams === 2) return fault(503, "SERVICE_UNAVAILABLE", "starting");
    if (streams === 4) return fault(401, "INVALID_PLATFORM_KEY", "no more");
    open(response);
    if (streams === 1) response.write(`: keep-alive\n\n${event("evt_1")}id: evt_2`, () => response.socket?.destroy());
    else response.end(`event: gap\ndata: {"after":"evt_1"}\n\n${event("evt_1")}${event("evt_5")}`);
    return undefined;
  });
  const seen: OrchestratorEvent[] = [];
  const told: unknown[] = [];
  const onRetry = ({ kind, error }: Retry) => told.push([kind, error.code]);
  const following = (async () => {
    for await (const event of client.events({ onRetry })) seen.push(event);
  })();
  await t.rejects(following, { code: "INVALID_PLATFORM_KEY" });
  t.same(
    seen.map((event) => ("id" in event ? event.id : event.type)),
    ["evt_1", "gap", "evt_5"],
  );
  t.same(
    server.calls.flatMap(({ headers }) => headers["last-event-id"] ?? []),
    ["evt_0", "evt_1", "evt_1", "evt_5"],
  );
  const codes = ["UNREACHABLE", "SERVICE_UNAVAILABLE", "CONNECTION_LOST"];
  t.same(
    told,
    codes.map((code) => ["stream", code]),
  );
});

t.test("a reopened event stream is reported, and a stream that stays lost fails", async (t) => {
  const { server, client } = await withServer(t, { reconnectMs: [1, 1, 1], retries: 0 });
  let streams = 0;
  server.on("GET /events", (_call, response) => {
    if (++streams > 2) {
      response.socket?.destroy();
      return;
    }
    open(response);
    response.end(`event: engine.running\ndata: ${JSON.stringify({ id: `evt_${streams}` })}\n\n`);
  });
  const notes: string[] = [];
  const note = { onRetry: () => notes.push("lost"), onReconnect: () => notes.push("reconnected") };
  const read = async () => {
    for await (const event of client.events({ after: "start", ...note })) if ("id" in event) notes.push(event.id);
  };
  await t.rejects(read(), { code: "CONNECTION_LOST" });
  t.same(notes, ["evt_1", "lost", "reconnected", "evt_2", "lost", "lost", "lost"]);
});

t.test("an event that is not JSON fails at once", async (t) => {
  const { server, client } = await withServer(t);
  server.on("GET /events", (_call, response) => {
    open(response);
    response.write("event: x\ndata: {no json\n\n");
  });
  await t.rejects(client.events({ after: "start" }).next(), { code: "BAD_ANSWER" });
});

t.test("each admin call has its route, its key and its fields", async (t) => {
  const server = await startFakeServer(t);
  const client = createAdminClient({ url: server.url, adminKey: "admin-test", limits: QUICK });
  const page = { data: [], next_cursor: null };
  server.on("POST /products/register", { status: 201, body: { ...product(), platform_api_key: "orchp_new" } });
  server.on("GET /products/demo", { body: product() });
  server.on("PUT /products/demo/policy", { body: product() });
  server.on("PUT /products/demo/platform-key-hash", { body: product() });
  server.on("DELETE /products/demo", { body: { deleted: true } });
  for (const path of ["/products", "/admin/engines", "/admin/events", "/admin/audit"])
    server.on(`GET ${path}`, { body: page });
  for (const route of ["GET /admin/status", "POST /admin/drain", "POST /admin/resume", "POST /admin/schedules/resume"])
    server.on(route, { body: {} });
  for (const route of ["GET /admin/backups", "POST /admin/backups"]) server.on(route, { body: {} });
  t.equal((await client.registerProduct({ slug: "demo", policy: { max_engines: 2 } })).platform_api_key, "orchp_new");
  await client.getProduct("demo");
  await client.setPolicy("demo", { suspended: true });
  await client.setPlatformKeyHash("demo", { hash: "ab", graceS: 60 });
  for await (const _ of client.listProducts()) t.fail("no product");
  for await (const _ of client.listEngines({ state: "running" })) t.fail("no engine");
  for await (const _ of client.listEvents({ productId: "prd_1" })) t.fail("no event");
  await client.audit({ after: 7 });
  await client.status();
  await client.listBackups();
  await client.createBackup();
  await client.drain();
  await client.resume();
  await client.resumeSchedules();
  t.same(await client.deleteProduct("demo", { force: true }), { deleted: true });
  t.same(
    server.calls.map(({ method, path, body }) => [`${method} ${path}`, body]),
    [
      ["POST /products/register", { slug: "demo", policy: { max_engines: 2 } }],
      ["GET /products/demo", undefined],
      ["PUT /products/demo/policy", { suspended: true }],
      ["PUT /products/demo/platform-key-hash", { api_key_hash: "ab", grace_s: 60 }],
      ["GET /products?limit=200", undefined],
      ["GET /admin/engines?limit=200&state=running", undefined],
      ["GET /admin/events?limit=200&product_id=prd_1", undefined],
      ["GET /admin/audit?limit=200&after=7", undefined],
      ["GET /admin/status", undefined],
      ["GET /admin/backups", undefined],
      ["POST /admin/backups", {}],
      ["POST /admin/drain", {}],
      ["POST /admin/resume", {}],
      ["POST /admin/schedules/resume", {}],
      ["DELETE /products/demo?force=true", undefined],
    ],
  );
  t.ok(server.calls.every(({ headers }) => headers["x-admin-key"] === "admin-test"));
});

t.test("usage is read page by page, with the currency and days of its list", async (t) => {
  const { server, client } = await withServer(t);
  const page = { currency: "EUR", since: "2026-11-01", until: "2026-11-02" };
  server.on("GET /usage", ({ path }) => {
    const isFirst = !path.includes("cursor=");
    return { body: { ...page, data: [{ user_id: isFirst ? "a" : "b" }], next_cursor: isFirst ? "c" : null } };
  });
  server.on("GET /engines/a/usage", { body: { ...page, data: [], next_cursor: null } });
  const users: unknown[] = [];
  for await (const entry of client.usage({ since: "2026-11-01", by: ["user", "model"], userId: "x" }))
    users.push(entry);
  t.same(users, [
    { user_id: "a", ...page },
    { user_id: "b", ...page },
  ]);
  for await (const entry of client.engineUsage("a")) t.fail(`nothing was answered, got ${JSON.stringify(entry)}`);
  t.same(paths(server), [
    "GET /usage?limit=200&since=2026-11-01&by=user%2Cmodel&user_id=x",
    "GET /usage?limit=200&cursor=c&since=2026-11-01&by=user%2Cmodel&user_id=x",
    "GET /engines/a/usage?limit=200",
  ]);
});

t.test("a list that never ends is left", async (t) => {
  const { server, client } = await withServer(t);
  server.on("GET /engines", { body: { data: [], next_cursor: "c" } });
  await t.rejects(client.list().next(), { code: "BAD_ANSWER" });
});
