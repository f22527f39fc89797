import { createServer } from "node:http";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { ORCHESTRATOR_ERRORS, type OrchestratorErrorCode } from "../../src/contract/orchestrator/errors.ts";
import { newKey, sha256 } from "../../src/contract/orchestrator/api-keys.ts";
import { type Answer, ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const fixture = (name: string) => resolve(import.meta.dirname, "../fixtures/engines", `${name}.cjs`);
const dataDir = freshFolder(t);
const daemon = await startDaemon(t, { dataDir, databaseUrl: await freshDatabaseUrl(t) });

/** Codes this file has provoked; those of the catalogue that no call can meet yet are named at the end. */
const provoked = new Set<string>();
const refused = (t: Test, answer: Answer, code: OrchestratorErrorCode, message: RegExp = /./) => {
  provoked.add(answer.body?.error?.code);
  const fields = [answer.body, answer.body?.error].map((object) => Object.keys(object ?? {}).join());
  t.match(
    { ...answer, fields },
    {
      status: ORCHESTRATOR_ERRORS[code].status,
      headers: { "x-request-id": /^req_/ },
      body: { error: { code, message } },
      fields: ["error", "code,message"],
    },
    code,
  );
};

const register = async (slug: string, policy: Record<string, unknown> = {}, on = daemon) => {
  const { body } = await on.admin("/products/register", { method: "POST", body: { slug, policy } });
  return { id: body.id as string, key: body.platform_api_key as string };
};
const provision = (key: string, user: string, on = daemon) =>
  on.platform(key, "/engines/provision", { method: "POST", body: { user_id: user } });

t.test("a missing, malformed, mistyped and unknown platform key are refused alike", async (t) => {
  const { key } = await register("keys");
  const mistyped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  const answers = await Promise.all(
    ["", "nonsense", mistyped, newKey("orchp_"), "x".repeat(5000)].map((wrong) => daemon.platform(wrong, "/engines")),
  );
  for (const answer of answers) refused(t, answer, "INVALID_PLATFORM_KEY");
  t.equal(new Set(answers.map(({ text }) => text)).size, 1);
  refused(t, await ask(daemon.url, "/engines"), "INVALID_PLATFORM_KEY");
  t.equal((await daemon.platform(key, "/engines")).status, 200);
});

t.test("admin calls want the admin key, and a platform key is none", async (t) => {
  const { key } = await register("admins");
  refused(t, await ask(daemon.url, "/products"), "INVALID_ADMIN_KEY");
  refused(t, await ask(daemon.url, "/products", { headers: { "x-admin-key": "wrong" } }), "INVALID_ADMIN_KEY");
  refused(t, await ask(daemon.url, "/products", { headers: { "x-admin-key": key } }), "INVALID_ADMIN_KEY");
  refused(t, await ask(daemon.url, "/products/register", { method: "POST", body: "{broken" }), "INVALID_ADMIN_KEY");
});

t.test("unknown routes and methods, with what would be allowed", async (t) => {
  for (const path of ["/", "/nope", "/engines/a/b", "/products/x/rotate-platform-key"]) {
    refused(t, await ask(daemon.url, path, { method: "POST" }), "NOT_FOUND");
  }
  const answer = await ask(daemon.url, "/engines/provision", { method: "PUT" });
  refused(t, answer, "METHOD_NOT_ALLOWED");
  t.match(answer.headers["allow"], /POST/);
  refused(t, await ask(daemon.url, "/health", { method: "DELETE" }), "METHOD_NOT_ALLOWED");
});

t.test("bodies that are too large, broken or of the wrong type name what was expected", async (t) => {
  const { key } = await register("bodies");
  const send = (body: unknown) => daemon.platform(key, "/engines/provision", { method: "POST", body });
  refused(t, await send("x".repeat(2 * 1024 * 1024)), "PAYLOAD_TOO_LARGE", /64 KiB/);
  refused(
    t,
    await ask(daemon.url, "/engines/provision", { method: "POST", body: "x".repeat(2 * 1024 * 1024) }),
    "PAYLOAD_TOO_LARGE",
  );
  for (const [body, words] of [
    ["{broken", /body: expected JSON/],
    ["[]", /body: expected a JSON object/],
    ["", /body: empty, expected a JSON object; user_id: required, expected a string of 1 to 256 bytes of UTF-8/],
    ["{}", /^user_id: required, expected a string of 1 to 256 bytes of UTF-8/],
    [Buffer.from([0x7b, 0xff, 0x7d]), /body: expected JSON in UTF-8/],
    [{ user_id: 7 }, /user_id: expected a string of 1 to 256 bytes of UTF-8, received a number/],
    [{ user_id: "a", start: "yes" }, /start: expected true or false/],
    [{ user_id: "a", metadata: [] }, /metadata: expected/],
    [{ user_id: "a", metadata: { big: "x".repeat(20_000) } }, /metadata: expected at most 16 KiB/],
  ] as const) {
    refused(t, await send(body), "INVALID_REQUEST", words);
  }
  const gzip = await daemon.platform(key, "/engines/provision", {
    method: "POST",
    headers: { "content-encoding": "gzip" },
    body: "x",
  });
  refused(t, gzip, "INVALID_REQUEST");
  t.same((await daemon.platform(key, "/engines")).body.data, [], "nothing half-done is left");
});

t.test("unknown fields are named, not refused; in a policy they are refused", async (t) => {
  const { key } = await register("fields");
  const body = { user_id: "a", start: false, colour: "blue" };
  const made = await daemon.platform(key, "/engines/provision", { method: "POST", body });
  t.match(made, { status: 201, headers: { "x-ignored-fields": "colour" } });
  for (const [policy, words] of [
    [{ max_engine: 1 }, /max_engine: unknown field/],
    [{ max_engines: -1 }, /max_engines: /],
    [{ max_engines: 1.5 }, /max_engines: /],
    [{ engine_env: { FOO: "x" } }, /engine_env\.FOO: expected a name of LLM_\*, .*CACHE_HIT_MONITOR_ENABLED/],
    [{ requests_per_minute: "600" }, /requests_per_minute: expected an integer/],
    [{ memory_mb: 63 }, /memory_mb: expected an integer from 64 to 1048576/],
    [{ max_processes: 0 }, /max_processes: expected an integer from 1 to 32768/],
    [{ disk_mb: 15 }, /disk_mb: expected an integer from 16 to 1048576/],
    [{ cpu_weight: 10_001 }, /cpu_weight: expected an integer from 1 to 10000/],
    [{ tool_network: "opne" }, /tool_network: expected "open", "none" or a list of 1 to 256 hosts/],
    [{ tool_network: [] }, /tool_network: expected at least 1 item/],
    [
      { tool_network: ["example.com", "https://example.com/"] },
      /tool_network\.1: expected a host, \*\.host, host:port/,
    ],
    [{ tool_network: ["10.0.0.0/4"] }, /tool_network\.0: expected a prefix from \/8 to \/32/],
    [{ tool_listen: [80] }, /tool_listen\.0: expected an integer from 1024 to 65535/],
    [{ tool_listen: Array.from({ length: 17 }, (_, at) => 3000 + at) }, /tool_listen: expected at most 16 items/],
    [{ allowed_actions: ["fly"] }, /allowed_actions\.0: /],
    [{ engine_env: { PATH: "/" } }, /engine_env\.PATH|LLM_/],
    [{ engine_env: { LLM_API_KEY: 7 } }, /engine_env\.LLM_API_KEY: /],
    [{ engine_env: { LLM_PROVIDER: "anthropc" } }, /engine_env\.LLM_PROVIDER: expected one of anthropic, /],
    [{ engine_env: { LLM_BASE_URL: "example.com" } }, /engine_env\.LLM_BASE_URL: expected a URL that begins with http/],
    [{ engine_env: { LLM_CONTEXT_WINDOW: "8k" } }, /engine_env\.LLM_CONTEXT_WINDOW: expected an integer from 4000 /],
    [{ engine_env: { ENGINE_LOG_LEVEL: "LOUD" } }, /engine_env\.ENGINE_LOG_LEVEL: expected DEBUG, INFO, WARN or ERROR/],
  ] as const) {
    refused(
      t,
      await daemon.admin("/products/fields/policy", { method: "PUT", body: policy }),
      "INVALID_REQUEST",
      words,
    );
  }
});

t.test("an admin reads back the engine settings of a product that are not secret", async (t) => {
  const base = "https://user:geheim@models.example.com/v1";
  const env = { LLM_PROVIDER: "openai-compatible", LLM_API_KEY: "geheim", LLM_OTHER: "geheim", LLM_BASE_URL: base };
  const policy = { engine_env: { ...env, LLM_MODEL: "llama" } };
  const made = await daemon.admin("/products/register", { method: "POST", body: { slug: "readable", policy } });
  const shown = await daemon.admin("/products/readable");
  const listed = await daemon.admin("/products?limit=200");
  const changed = await daemon.admin("/products/readable/policy", { method: "PUT", body: {} });
  const ofList = listed.body.data.find(({ slug }: { slug: string }) => slug === "readable");
  for (const record of [made.body, shown.body, changed.body, ofList]) {
    t.same(record.engine_env_names, ["LLM_API_KEY", "LLM_BASE_URL", "LLM_MODEL", "LLM_OTHER", "LLM_PROVIDER"]);
    t.same(record.engine_env_values, { LLM_PROVIDER: "openai-compatible", LLM_MODEL: "llama" });
    t.notMatch(JSON.stringify(record), /geheim/);
  }
});

t.test("products: a slug that is taken or no slug, and products that are not there", async (t) => {
  await register("taken");
  const send = (slug: unknown) => daemon.admin("/products/register", { method: "POST", body: { slug } });
  refused(t, await send("taken"), "PRODUCT_ALREADY_EXISTS");
  for (const slug of ["", "A", "a--b", "-a", "a-", "a_b", "x".repeat(64), 7, null])
    refused(t, await send(slug), "INVALID_REQUEST", /slug/);
  refused(t, await daemon.admin("/products/nobody"), "PRODUCT_NOT_FOUND");
  refused(t, await daemon.admin("/products/nobody/policy", { method: "PUT", body: {} }), "PRODUCT_NOT_FOUND");
  refused(t, await daemon.admin("/products/nobody", { method: "DELETE" }), "PRODUCT_NOT_FOUND");
});

t.test("a policy takes effect at the next call: suspension, actions, quota", async (t) => {
  const { id, key } = await register("policy", { max_engines: 1 });
  const set = (policy: object) => daemon.admin(`/products/${id}/policy`, { method: "PUT", body: policy });
  await set({ suspended: true });
  refused(t, await provision(key, "a"), "POLICY_DENIED", /suspended/);
  await set({ suspended: false, allowed_actions: ["provision", "destroy"] });
  t.equal((await provision(key, "a")).status, 201);
  refused(t, await daemon.platform(key, "/engines/a/stop", { method: "POST", body: {} }), "POLICY_DENIED", /stop/);
  refused(t, await daemon.platform(key, "/engines/b?auto_provision=true"), "POLICY_DENIED", /auto_provision/);
  refused(t, await provision(key, "b"), "QUOTA_EXCEEDED", /1 of 1/);
  await set({ max_engines: 0 });
  t.equal((await daemon.platform(key, "/engines/a")).body.state, "running", "a lowered limit stops nothing");
  t.equal((await daemon.platform(key, "/engines/a", { method: "DELETE" })).status, 200);
});

t.test("parallel provisions never pass the limit", async (t) => {
  const { key } = await register("parallel", { max_engines: 5 });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, user) =>
      daemon.platform(key, "/engines/provision", { method: "POST", body: { user_id: `u${user}`, start: false } }),
    ),
  );
  t.equal(answers.filter(({ status }) => status === 201).length, 5);
  t.equal(answers.filter(({ body }) => body.error?.code === "QUOTA_EXCEEDED").length, 35);
});

t.test("calls are counted by product, and the first too many says when to come back", async (t) => {
  const { key } = await register("limits", { requests_per_minute: 5 });
  const answers: Answer[] = [];
  for (let call = 0; call < 6; call++) answers.push(await daemon.platform(key, "/engines"));
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 429],
  );
  t.same(
    answers.map(({ headers }) => headers["ratelimit-remaining"]),
    ["4", "3", "2", "1", "0", "0"],
  );
  const last = answers[5] as Answer;
  refused(t, last, "RATE_LIMITED");
  t.match(Number(last.headers["retry-after"]), Number);
  t.equal(
    (await daemon.platform((await register("limits2")).key, "/engines")).status,
    200,
    "another product is not touched",
  );
  refused(t, await daemon.platform("wrong", "/engines"), "INVALID_PLATFORM_KEY");
});

t.test("a key replaced by its hash works at once; the old one until its grace is over", async (t) => {
  const { id, key } = await register("rotation");
  const next = newKey("orchp_");
  const put = (body: object) => daemon.admin(`/products/${id}/platform-key-hash`, { method: "PUT", body });
  t.equal(
    (await put({ api_key_hash: sha256(next), key_prefix: next.slice(0, 10), key_last4: next.slice(-4), grace_s: 60 }))
      .status,
    200,
  );
  t.equal((await daemon.platform(next, "/engines")).status, 200);
  t.equal((await daemon.platform(key, "/engines")).status, 200, "in its grace");
  t.equal((await put({ api_key_hash: sha256("a key of another form") })).status, 200);
  t.equal((await daemon.platform("a key of another form", "/engines")).status, 200);
  refused(t, await daemon.platform(next, "/engines"), "INVALID_PLATFORM_KEY");
  refused(t, await put({ api_key_hash: "short" }), "INVALID_REQUEST", /api_key_hash: expected SHA-256/);
});

t.test("a product is registered with the hash of a key that never travelled", async (t) => {
  const key = newKey("orchp_");
  const hints = { key_prefix: key.slice(0, 10), key_last4: key.slice(-4) };
  const post = (body: object) => daemon.admin("/products/register", { method: "POST", body });
  const made = await post({ slug: "by-hash", api_key_hash: sha256(key), ...hints });
  t.match(made, { status: 201, body: { slug: "by-hash", platform_api_key: null } });
  t.equal((await daemon.platform(key, "/engines")).status, 200);
  refused(t, await post({ slug: "same-key", api_key_hash: sha256(key) }), "INVALID_REQUEST", /api_key_hash: another/);
  t.equal((await daemon.admin("/products/same-key")).status, 404, "nothing is left of it");
  refused(t, await post({ slug: "hints", ...hints }), "INVALID_REQUEST", /api_key_hash: required/);
  refused(t, await post({ slug: "short", api_key_hash: "short" }), "INVALID_REQUEST", /api_key_hash: expected SHA-256/);
});

t.test("a login that does not exist is not ended", async (t) => {
  const { key } = await register("no-login");
  t.equal((await provision(key, "anna")).status, 201);
  refused(
    t,
    await daemon.platform(key, "/engines/anna/connections/tickets", { method: "DELETE" }),
    "CONNECTION_NOT_FOUND",
  );
  refused(t, await daemon.platform(key, "/engines/nobody/connections"), "ENGINE_NOT_FOUND");
  t.equal((await daemon.platform(key, "/engines/anna", { method: "DELETE" })).status, 200);
});

t.test("a secret that does not exist is neither shown nor deleted", async (t) => {
  const { key } = await register("no-secret");
  for (const method of ["GET", "DELETE"])
    refused(t, await daemon.admin("/products/no-secret/secrets/GITHUB", { method }), "SECRET_NOT_FOUND");
  refused(t, await daemon.platform(key, "/engines/nobody/secrets/GITHUB"), "ENGINE_NOT_FOUND");
});

t.test("an engine that exits while booting is reported at once, and nothing of it is left", async (t) => {
  const { key } = await register("bad-boot", { engine_env: { LLM_PROVIDER: "openai" } });
  const before = readdirSync(join(dataDir, "engines")).length;
  refused(
    t,
    await provision(key, "a"),
    "BACKEND_ERROR",
    /exited with code 78 .*: LLM_API_KEY: expected the key of openai/,
  );
  t.same((await daemon.platform(key, "/engines")).body.data, []);
  t.equal(readdirSync(join(dataDir, "engines")).length, before);
  refused(t, await daemon.platform(key, "/engines/a?auto_provision=true"), "BACKEND_ERROR");
  const held = await daemon.platform(key, "/engines/a?auto_provision=true");
  refused(t, held, "CAPACITY_EXHAUSTED");
  t.ok(Number(held.headers["retry-after"]) >= 1);
});

t.test("a provision without a provider key answers with the reason, without any secret", async (t) => {
  const { id, key } = await register("no-key", { engine_env: { LLM_PROVIDER: "anthropic" } });
  refused(t, await provision(key, "a"), "BACKEND_ERROR", /code 78 .*: LLM_API_KEY: expected the key of anthropic$/);
  const env = { LLM_PROVIDER: "bedrock", LLM_API_KEY: "geheim-1" };
  await daemon.admin(`/products/${id}/policy`, { method: "PUT", body: { engine_env: env } });
  const { body } = await provision(key, "a");
  t.match(body.error.message, /: LLM_MODEL: expected [^;]*; LLM_REGION: expected the region/);
  t.notMatch(body.error.message, /geheim/);
});

t.test("a start that does not come up leaves the engine failed, with the reason and its data", async (t) => {
  const { id, key } = await register("bad-start");
  await provision(key, "a");
  await daemon.platform(key, "/engines/a/stop", { method: "POST", body: {} });
  await daemon.admin(`/products/${id}/policy`, { method: "PUT", body: { engine_env: { LLM_PROVIDER: "openai" } } });
  refused(t, await daemon.platform(key, "/engines/a/start", { method: "POST", body: {} }), "BACKEND_ERROR");
  const { body } = await daemon.platform(key, "/engines/a");
  t.match(body, {
    state: "failed",
    running: false,
    last_error: { phase: "boot", exit_code: 78 },
  });
  t.match(body.last_error.log_tail.join("\n"), /cannot start:\n\s+LLM_API_KEY: expected the key of openai/);
  await daemon.admin(`/products/${id}/policy`, { method: "PUT", body: { engine_env: { LLM_PROVIDER: null } } });
  t.match(await daemon.platform(key, "/engines/a/start", { method: "POST", body: {} }), {
    status: 200,
    body: { state: "running", last_error: { phase: "boot" } },
  });
  await daemon.platform(key, "/engines/a", { method: "DELETE" });
});

t.test("an engine that never gets healthy is given up at the time-out, and is gone", async (t) => {
  const slow = await startDaemon(t, {
    dataDir: freshFolder(t),
    databaseUrl: await freshDatabaseUrl(t),
    engine: fixture("never-healthy"),
    env: { ORCH_BOOT_TIMEOUT_S: "1" },
  });
  const { key } = await register("slow", {}, slow);
  const answer = provision(key, "a", slow);
  const passing = await until("the engine is starting", async () => {
    const { body } = await slow.platform(key, "/engines/a");
    return body.state === "starting" ? body : null;
  });
  refused(t, await slow.platform(key, "/engines/a/start", { method: "POST", body: {} }), "OPERATION_IN_PROGRESS");
  refused(t, await answer, "BOOT_TIMEOUT", /not healthy within 1 s/);
  refused(t, await slow.platform(key, "/engines/a"), "ENGINE_NOT_FOUND");
  t.throws(() => process.kill(passing.pid, 0), "its process is gone");
});

t.test("a provision can be destroyed while it boots", async (t) => {
  const slow = await startDaemon(t, {
    dataDir: freshFolder(t),
    databaseUrl: await freshDatabaseUrl(t),
    engine: fixture("never-healthy"),
  });
  const { key } = await register("slow", {}, slow);
  const answer = provision(key, "a", slow);
  await until("the engine is starting", async () => (await slow.platform(key, "/engines/a")).body.state === "starting");
  t.same((await slow.platform(key, "/engines/a", { method: "DELETE" })).body, { destroyed: true });
  refused(t, await answer, "OPERATION_IN_PROGRESS");
  t.same((await slow.platform(key, "/engines")).body.data, []);
});

t.test("an out-of-memory exit is distinguished from a crash", async (t) => {
  const hungry = await startDaemon(t, {
    dataDir: freshFolder(t),
    databaseUrl: await freshDatabaseUrl(t),
    engine: fixture("memory-hog"),
  });
  const { key } = await register("hungry", { memory_mb: 128 }, hungry);
  const { body: made } = await provision(key, "a", hungry);
  await ask(made.url, "/eat").catch(() => undefined);
  const record = await until(
    "the end is recorded",
    async () => {
      const { body } = await hungry.platform(key, "/engines/a");
      return body.last_error === null ? null : body;
    },
    60_000,
  );
  t.match(record.last_error, { phase: "run", oom: true, signal: "SIGABRT" });
  await hungry.admin("/products/hungry?force=true", { method: "DELETE" });
});

t.test("ports: one that another program holds is passed over, and none left is said", async (t) => {
  const thief = createServer((_request, response) => response.end("not an engine"));
  const { port } = await new Promise<{ port: number }>((resolvePort) => {
    const tryPort = (candidate: number) => {
      thief.once("error", () => tryPort(candidate + 1));
      thief.listen(candidate, "127.0.0.1", () => resolvePort({ port: candidate }));
    };
    tryPort(19_000);
  });
  t.teardown(async () => {
    thief.close();
    await once(thief, "close");
  });
  const env = { ORCH_PORT_MIN: String(port), ORCH_PORT_MAX: String(port + 1) };
  const small = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t), env });
  const { key } = await register("small", {}, small);
  t.match((await provision(key, "a", small)).body, { port: port + 1, state: "running" });
  const none = await provision(key, "b", small);
  refused(t, none, "PORT_EXHAUSTION", new RegExp(`${port} to ${port + 1}`));
  const wait = Number(none.headers["retry-after"]);
  t.ok(wait > 30 && wait <= 62, `the thief's port is in quarantine for ${wait} s`);
  const { body } = await small.platform(key, "/events");
  t.match(
    body.data.find(({ type }: { type: string }) => type === "host.port_taken"),
    { user_id: "a", data: { port, next_port: port + 1 } },
  );
  const status = await small.admin("/admin/status");
  t.match(status.body.ports, { total: 2, taken: 1, quarantined: 1, free: 0 });
  await small.admin("/products/small?force=true", { method: "DELETE" });
});

t.test("without its database the daemon answers 503 and lives on; its own server it starts again", async (t) => {
  const folder = freshFolder(t);
  const lonely = await startDaemon(t, { dataDir: folder });
  const { key } = await register("lonely", {}, lonely);
  const place = /database {3}bundled PostgreSQL \S+ in (\S+)/.exec(lonely.output())?.[1] ?? "";
  const postmaster = Number(readFileSync(join(place, "data", "postmaster.pid"), "utf8").split("\n")[0]);
  process.kill(postmaster, "SIGINT");
  const away = await until("a call fails", async () => {
    const answer = await lonely.platform(key, "/engines");
    return answer.status === 503 ? answer : null;
  });
  refused(t, away, "SERVICE_UNAVAILABLE");
  t.ok(Number(away.headers["retry-after"]) >= 1);
  t.equal((await ask(lonely.url, "/health")).status, 200);
  refused(t, await ask(lonely.url, "/ready"), "SERVICE_UNAVAILABLE", /database/);
  await until("its own server runs again", async () => (await ask(lonely.url, "/ready")).status === 200, 30_000);
  t.equal((await lonely.platform(key, "/engines")).status, 200);
});

t.test("a request id that is well formed comes back, another is replaced", async (t) => {
  const sent = await ask(daemon.url, "/health", { headers: { "x-request-id": "my-id.1_2" } });
  t.equal(sent.headers["x-request-id"], "my-id.1_2");
  for (const bad of ["a b", "x".repeat(129), "é".normalize("NFD") + "?"]) {
    const answer = await ask(daemon.url, "/health", { headers: { "x-request-id": encodeURIComponent(bad) + "%" } });
    t.match(answer.headers["x-request-id"], /^req_/);
  }
});

t.test("every code of the catalogue was provoked, but for those that nothing can meet yet", async (t) => {
  // In engine-lifecycle, idempotency, sleep, schedules, webhooks, notifications, product-catalog, plans and
  // open-questions.test.ts,
  // pass-to-leader.test.ts, and those of sessions in console-sessions and operations/sessions.test.ts.
  const elsewhere = [
    "ENGINE_ALREADY_EXISTS",
    "ENGINE_ALREADY_RUNNING",
    "ENGINE_NOT_RUNNING",
    "IDEMPOTENCY_CONFLICT",
    "ENGINE_BUSY",
    "INVALID_SIGNATURE",
    "PLAN_NOT_FOUND",
    "PLAN_IN_USE",
    "QUESTION_NOT_FOUND",
    "QUESTION_ANSWERED",
    "SCHEDULE_NOT_FOUND",
    "WEBHOOK_NOT_FOUND",
    "ENDPOINT_NOT_FOUND",
    "CATALOG_VERSION_NOT_FOUND",
    "CATALOG_CHANGED",
    "CATALOG_INVALID",
    "KNOWLEDGE_DOCUMENT_NOT_FOUND",
    "KNOWLEDGE_DOCUMENT_INVALID",
    "LEADER_LOST",
    "INVALID_SESSION",
    "INVALID_LINK",
    "INSUFFICIENT_ROLE",
    "SESSION_NOT_FOUND",
  ];
  const notYet = ["INTERNAL_ERROR"];
  const missing = Object.keys(ORCHESTRATOR_ERRORS).filter(
    (code) => ![...provoked, ...elsewhere, ...notYet].includes(code),
  );
  t.same(missing, []);
});
