import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { newKey, sha256 } from "../../src/contract/orchestrator/api-keys.ts";
import { CATALOG_LIMITS } from "../../src/contract/orchestrator/catalog-limits.ts";
import { KNOWLEDGE_LIMITS } from "../../src/contract/orchestrator/knowledge-limits.ts";
import { ORCHESTRATOR_ERRORS } from "../../src/contract/orchestrator/errors.ts";
import { ORCHESTRATOR_RESPONSES } from "../../src/contract/orchestrator/responses.ts";
import { ORCHESTRATOR_ROUTES, type RouteName, errorsOf } from "../../src/contract/orchestrator/routes.ts";
import { type Route, maxBodyBytes } from "../../src/contract/orchestrator/routes/route-row.ts";
import { ask } from "../helpers/api.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { openConsole, signInHeaders } from "../helpers/console.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { ContractCaller } from "./contract-caller.ts";
import { callConnections } from "./connection-calls.ts";
import { callPlans } from "./plan-calls.ts";
import { callQuestions } from "./question-calls.ts";
import { callSchedules } from "./schedule-calls.ts";
import { callSecrets } from "./secret-calls.ts";
import { firstFrame } from "./first-frame.ts";

const ROUTES: Readonly<Record<RouteName, Route>> = ORCHESTRATOR_ROUTES;
const prices = join(freshFolder(t, "prices"), "prices.json");
writeFileSync(prices, '{"currency":"EUR","prices":[]}');
const env = { ORCH_PRICES: prices, ORCH_PUBLIC_URL: "https://agents.example.com" };
const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t), env });
const keys = { platform: "" };
const caller = new ContractCaller(t, {
  url: daemon.url,
  routes: ROUTES,
  schemas: ORCHESTRATOR_RESPONSES,
  errors: ORCHESTRATOR_ERRORS,
  errorsOf,
  codeOf: ({ error }) => (typeof error === "string" ? error : error.code),
  headersOf: ({ auth }) => {
    if (auth === "platform") return { "x-platform-key": keys.platform };
    if (auth === "admin" || auth === "admin_key") return { "x-admin-key": daemon.adminKey };
    return auth === "sign_in" ? signInHeaders(daemon.url) : {};
  },
});
const call = caller.call.bind(caller);
const names = Object.keys(ROUTES) as readonly RouteName[];
const isPlainRead = (name: RouteName): boolean =>
  ROUTES[name].auth === "admin" && ROUTES[name].method === "GET" && !ROUTES[name].path.includes("{");
const NOBODY = { user_id: "nobody" };
const ALICE = { user_id: "alice" };
const DEMO = { product_id: "demo" };

t.test("products", async (t) => {
  const body = {
    slug: "demo",
    name: "Demo",
    policy: { engine_env: { LLM_PROVIDER: "sandbox", LLM_API_KEY: "secret" } },
  };
  const { body: product } = await call("registerProduct", { body, expect: 201 });
  keys.platform = product.platform_api_key;
  await call("registerProduct", { body, expect: "PRODUCT_ALREADY_EXISTS" });
  await call("registerProduct", { body: { slug: "A" }, expect: "INVALID_REQUEST" });
  const once = { "idempotency-key": "other" };
  await call("registerProduct", { body: { slug: "other" }, headers: once, expect: 201 });
  const { body: replayed } = await call("registerProduct", { body: { slug: "other" }, headers: once, expect: 201 });
  t.equal(replayed.platform_api_key, null);
  await call("registerProduct", { body: { slug: "third" }, headers: once, expect: "IDEMPOTENCY_CONFLICT" });
  await call("listProducts", { query: "?limit=1", expect: 200 });
  await call("listProducts", { query: "?limit=0", expect: "INVALID_REQUEST" });
  await call("showProduct", { path: DEMO, expect: 200 });
  await call("setPolicy", { path: DEMO, body: { max_engines: 3, drain_s: 1 }, expect: 200 });
  await call("setPolicy", { path: DEMO, body: { max_engine: 3 }, expect: "INVALID_REQUEST" });
  const key = newKey("orchp_");
  const hash = { api_key_hash: sha256(key), key_prefix: key.slice(0, 10), key_last4: key.slice(-4) };
  await call("setPlatformKeyHash", { path: DEMO, body: hash, expect: 200 });
  await call("events", { expect: "INVALID_PLATFORM_KEY" });
  keys.platform = key;
  const nowhere = { product_id: "nowhere" };
  for (const name of ["showProduct", "deleteProduct", "setPolicy"] as const)
    await call(name, { path: nowhere, ...(name === "setPolicy" && { body: {} }), expect: "PRODUCT_NOT_FOUND" });
  const hook = { url: "https://hooks.invalid/tools", tools: ["run_command"] };
  await call("setPolicy", { path: DEMO, body: { tool_hook: { ...hook, tools: [] } }, expect: "INVALID_REQUEST" });
  await call("setPolicy", {
    path: DEMO,
    body: { tool_hook: { ...hook, timeout_ms: 60_000 } },
    expect: "INVALID_REQUEST",
  });
  await call("setPolicy", {
    path: DEMO,
    body: { tool_hook: { ...hook, on_error: "allow" } },
    expect: "INVALID_REQUEST",
  });
  const hooked = await call("setPolicy", { path: DEMO, body: { tool_hook: hook }, expect: 200 });
  t.same(hooked.body.policy.tool_hook, { ...hook, timeout_ms: 2000, on_error: "deny" });
  const made = await call("rotateToolHookSecret", { path: DEMO, body: { grace_s: 60 }, expect: 200 });
  t.match(made.body, { secret: /^whsec_/ });
  await call("rotateToolHookSecret", { path: DEMO, body: { secret: "short" }, expect: "INVALID_REQUEST" });
  await call("rotateToolHookSecret", { path: nowhere, body: {}, expect: "PRODUCT_NOT_FOUND" });
  await call("setPolicy", { path: DEMO, body: { tool_hook: null }, expect: 200 });
  await call("setPlatformKeyHash", { path: nowhere, body: hash, expect: "PRODUCT_NOT_FOUND" });
});

t.test("engines", async () => {
  const body = { user_id: "alice", metadata: { plan: "free" } };
  await call("provisionEngine", { body, expect: 201 });
  await call("provisionEngine", { body, expect: "ENGINE_ALREADY_EXISTS" });
  await call("admitEngine", { body, expect: 200 });
  await call("admitEngine", { body: { user_id: "bob" }, expect: 201 });
  await call("showEngine", { path: { user_id: "carol" }, query: "?auto_provision=true", expect: 201 });
  await call("provisionEngine", { body: { user_id: "dave" }, expect: "QUOTA_EXCEEDED" });
  await call("showEngine", { path: ALICE, expect: 200 });
  await call("listEngines", { query: "?state=running&limit=2", expect: 200 });
  await call("listEngines", { query: "?state=asleep", expect: "INVALID_REQUEST" });
  await call("waitForEngine", { path: ALICE, expect: 200 });
  await call("waitForEngine", { path: ALICE, query: "?state=failed&timeout_s=0", expect: "BOOT_TIMEOUT" });
  await call("engineLogs", { path: ALICE, query: "?tail=10", expect: 200 });
  await call("startEngine", { path: ALICE, expect: "ENGINE_ALREADY_RUNNING" });
  await call("rotateEngineKey", { path: ALICE, body: { grace_s: 60 }, expect: 200 });
  await call("createUserToken", { path: ALICE, body: { ttl_s: 60 }, expect: 201 });
  await call("revokeUserTokens", { path: ALICE, expect: 200 });
  await call("sleepEngine", { path: ALICE, expect: 200 });
  await call("startEngine", { path: ALICE, expect: 200 });
  await call("stopEngine", { path: ALICE, body: { drain_s: 0 }, expect: 200 });
  await call("sleepEngine", { path: ALICE, expect: "ENGINE_NOT_RUNNING" });
  await call("stopEngine", { path: ALICE, expect: "ENGINE_NOT_RUNNING" });
  await call("rotateEngineKey", { path: ALICE, expect: "ENGINE_NOT_RUNNING" });
  await call("startEngine", { path: ALICE, expect: 200 });
  for (const name of [
    "showEngine",
    "startEngine",
    "stopEngine",
    "sleepEngine",
    "rotateEngineKey",
    "destroyEngine",
  ] as const)
    await call(name, { path: NOBODY, expect: "ENGINE_NOT_FOUND" });
  for (const name of ["waitForEngine", "engineLogs"] as const)
    await call(name, { path: NOBODY, expect: "ENGINE_NOT_FOUND" });
  await call("destroyEngine", { path: { user_id: "bob" }, query: "?keep_data=true", expect: 200 });
});

t.test("notifications", async () => {
  const body = { url: "https://hooks.invalid/orchd", events: ["engine.gave_up"] };
  const {
    body: { id },
  } = await call("createEndpoint", { body, expect: 201 });
  await call("createEndpoint", { body: { ...body, url: "ftp://hooks.invalid" }, expect: "INVALID_REQUEST" });
  const path = { endpoint_id: id };
  await call("listEndpoints", { expect: 200 });
  await call("showEndpoint", { path, expect: 200 });
  await call("changeEndpoint", { path, body: { enabled: false }, expect: 200 });
  await call("rotateEndpointSecret", { path, body: {}, expect: 200 });
  await call("testEndpoint", { path, expect: 202 });
  await call("listDeliveries", { path, query: "?state=pending", expect: 200 });
  await call("replayDeliveries", { path, body: {}, expect: 200 });
  await call("deleteEndpoint", { path, expect: 200 });
  await call("showEndpoint", { path, expect: "ENDPOINT_NOT_FOUND" });
});

t.test("the product's catalog", async () => {
  const archive = await catalogArchive({ "core-soul.md": "Be brief.", "notes.txt": "nothing" });
  const old = { "if-match": '"7"' };
  await call("pushCatalog", { body: archive, headers: old, expect: "CATALOG_CHANGED" });
  await call("pushCatalog", { body: archive, headers: { "if-match": "7" }, expect: "INVALID_REQUEST" });
  await call("pushCatalog", { body: archive, query: "?dry_run=true", expect: 200 });
  await call("pushCatalog", { body: archive, expect: 200 });
  const wrong = await catalogArchive({ "core-soul.md": "{{nobody}}" });
  await call("pushCatalog", { body: wrong, expect: "CATALOG_INVALID" });
  const tooLarge = Buffer.alloc(CATALOG_LIMITS.archiveBytes + 1);
  await call("pushCatalog", { body: tooLarge, expect: "PAYLOAD_TOO_LARGE" });
  await call("showProductCatalog", { expect: 200 });
  await call("rollbackCatalog", { body: { version: 0 }, headers: old, expect: "CATALOG_CHANGED" });
  await call("rollbackCatalog", { body: { version: 0 }, expect: 200 });
  await call("rollbackCatalog", { body: { version: 9 }, expect: "CATALOG_VERSION_NOT_FOUND" });
  await call("rollbackCatalog", { body: {}, expect: "INVALID_REQUEST" });
  await call("catalogHistory", { expect: 200 });
  await call("catalogArchive", { path: { version: "1" }, expect: 200 });
  await call("catalogArchive", { path: { version: "9" }, expect: "CATALOG_VERSION_NOT_FOUND" });
});

t.test("the product's knowledge", async () => {
  const path = { document_path: "help/refunds.md" };
  await call("showDocument", { path, expect: "KNOWLEDGE_DOCUMENT_NOT_FOUND" });
  await call("deleteDocument", { path, expect: "KNOWLEDGE_DOCUMENT_NOT_FOUND" });
  await call("putDocument", { path, body: Buffer.from("# Refunds\n\nWithin 14 days."), expect: 200 });
  await call("putDocument", { path, body: Buffer.from("\0"), expect: "KNOWLEDGE_DOCUMENT_INVALID" });
  await call("putDocument", { path: { document_path: "a/.." }, body: Buffer.from("a"), expect: "INVALID_REQUEST" });
  const tooLarge = Buffer.alloc(KNOWLEDGE_LIMITS.documentBytes + 1);
  await call("putDocument", { path, body: tooLarge, expect: "PAYLOAD_TOO_LARGE" });
  await call("showDocument", { path, expect: 200 });
  await call("listDocuments", { expect: 200 });
  const { body } = await call("searchDocuments", { body: { query: "refunds" }, expect: 200 });
  t.match(body.results, [{ source: "help/refunds.md:3" }]);
  await call("searchDocuments", { body: { query: "" }, expect: "INVALID_REQUEST" });
  await call("deleteDocument", { path, expect: 200 });
});

t.test("events as a list and as a stream", async () => {
  const { body } = await call("engineEvents", { path: ALICE, expect: 200 });
  const after = body.data.at(-1).id as string;
  const cases: readonly (readonly [RouteName, string])[] = [
    ["events", "/events"],
    ["engineEvents", "/engines/alice/events"],
    ["adminEvents", "/admin/events"],
  ];
  for (const [name, path] of cases) {
    await call(name, { path: ALICE, query: "?limit=2", expect: 200 });
    const headers = { "x-platform-key": keys.platform, "x-admin-key": daemon.adminKey, "last-event-id": after };
    caller.check(name, await firstFrame(`${daemon.url}${path}`, headers), 200);
    const gone = { ...headers, "last-event-id": "evt_00000000-0000-7000-8000-000000000000" };
    caller.check(name, await firstFrame(`${daemon.url}${path}`, gone), 200);
    await call(name, { path: ALICE, query: "?cursor=eng_1", expect: "INVALID_REQUEST" });
  }
  await call("adminEvents", { query: "?product_id=nowhere", expect: "PRODUCT_NOT_FOUND" });
});

t.test("usage and prices", async () => {
  await call("listUsage", { query: "?by=day,model&limit=1", expect: 200 });
  await call("listUsage", { query: "?by=month", expect: "INVALID_REQUEST" });
  await call("engineUsage", { path: ALICE, expect: 200 });
  await call("adminUsage", { query: "?product_id=demo&by=user", expect: 200 });
  await call("adminUsage", { query: "?product_id=nowhere", expect: "PRODUCT_NOT_FOUND" });
  await call("reloadPrices", { body: {}, expect: 200 });
});

t.test("schedules and webhooks", () => callSchedules(caller));

t.test("open questions", () => callQuestions(caller, daemon.url));
t.test("logins at tool servers", (t) => callConnections(t, caller, daemon.url));
t.test("plans", () => callPlans(caller));
t.test("the vault", () => callSecrets(caller));

t.test("the host", async () => {
  for (const name of ["health", "ready", "metrics", "openapi", "docs"] as const) await call(name, { expect: 200 });
  const { body: listed } = await call("adminEngines", { expect: 200 });
  const running = listed.data.find(({ state }: { state: string }) => state === "running");
  await call("restartEngine", { path: { engine_id: running.id }, body: { drain_s: 0 }, expect: 200 });
  await call("restartEngine", { path: { engine_id: "eng_none" }, body: {}, expect: "ENGINE_NOT_FOUND" });
  await call("engineSamples", { path: { engine_id: running.id }, expect: 200 });
  await call("engineSamples", { path: { engine_id: "eng_none" }, expect: "ENGINE_NOT_FOUND" });
  await call("adminAudit", { query: "?after=1&limit=1", expect: 200 });
  await call("createBackup", { expect: 202 });
  await call("drainHost", { expect: 200 });
  await call("provisionEngine", { body: { user_id: "erin" }, expect: "SERVICE_UNAVAILABLE" });
  await call("ready", { expect: "SERVICE_UNAVAILABLE" });
  await call("resumeHost", { expect: 200 });
  await call("resumeSchedules", { expect: 200 });
  await call("identityKeys", { expect: 200 });
  await call("identityIssuer", { expect: 200 });
  await call("rotateIdentityKey", { body: {}, expect: 200 });
});

t.test("what is read by the admin key alone", async () => {
  for (const name of names.filter(isPlainRead)) await call(name, { expect: 200 });
});

t.test("the console and its sessions", async (t) => {
  const { text: page } = await call("consolePage", { address: "/console/", expect: 200 });
  const [, script = ""] = /assets\/([^"]+\.js)"/.exec(page) ?? [];
  await call("consoleAsset", { path: { file: script }, expect: 200 });
  await call("consoleAsset", { path: { file: "nothing.js" }, expect: "NOT_FOUND" });
  await call("signInOptions", { expect: 200 });
  await call("beginSignIn", { expect: 303 });
  await call("finishSignIn", { expect: 303 });
  await call("signIn", { body: { admin_key: "wrong" }, expect: "INVALID_ADMIN_KEY" });
  const { body: link } = await call("createLink", { body: { role: "viewer" }, expect: 201 });
  await call("createLink", { body: { role: "root" }, expect: "INVALID_REQUEST" });
  await call("signIn", { body: { link: link.link }, expect: 201 });
  await call("signIn", { body: { link: link.link }, expect: "INVALID_LINK" });
  const { cookie, record } = await openConsole(daemon);
  const headers = { ...signInHeaders(daemon.url), cookie };
  await call("showSession", { headers, expect: 200 });
  await call("listSessions", { headers, query: "?limit=1", expect: 200 });
  await call("showProduct", { headers, path: DEMO, expect: 200 });
  await call("showEngine", { headers: { ...headers, "x-orchd-product": "demo" }, path: ALICE, expect: 200 });
  await call("showEngine", {
    headers: { ...headers, "x-orchd-product": "x" },
    path: ALICE,
    expect: "PRODUCT_NOT_FOUND",
  });
  const { body: other } = await call("signIn", { body: { admin_key: daemon.adminKey }, expect: 201 });
  await call("endSession", { path: { session_id: other.id }, expect: 200 });
  await call("endSession", { path: { session_id: other.id }, expect: "SESSION_NOT_FOUND" });
  await call("signOut", { headers, expect: 200 });
  await call("showSession", { headers, expect: "INVALID_SESSION" });
  t.match(record, { role: "admin" });
});

t.test("a suspended product, and one out of calls", async () => {
  await call("setPolicy", { path: DEMO, body: { suspended: true }, expect: 200 });
  const denied = ["startEngine", "stopEngine", "sleepEngine", "rotateEngineKey", "destroyEngine"] as const;
  for (const name of denied) await call(name, { path: ALICE, expect: "POLICY_DENIED" });
  for (const name of ["provisionEngine", "admitEngine"] as const)
    await call(name, { body: { user_id: "frank" }, expect: "POLICY_DENIED" });
  await call("setPolicy", { path: DEMO, body: { suspended: false, requests_per_minute: 0 }, expect: 200 });
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, Route][])
    if (route.auth === "platform") await call(name, { expect: "RATE_LIMITED" });
});

t.test("refusals that every route of its kind shares", async (t) => {
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, Route][]) {
    const noKey = { "x-platform-key": "", "x-admin-key": "" };
    if (route.auth === "platform") await call(name, { headers: noKey, expect: "INVALID_PLATFORM_KEY" });
    if (route.auth === "admin" || route.auth === "admin_key")
      await call(name, { headers: noKey, expect: "INVALID_ADMIN_KEY" });
    if (route.role !== undefined) await call(name, { headers: signInHeaders(daemon.url), expect: "INVALID_SESSION" });
    if (route.auth === "local") await call(name, { headers: { "x-real-ip": "10.0.0.1" }, expect: "INVALID_ADMIN_KEY" });
    if (route.auth === "none") await call(name, { headers: { host: "evil.example" }, expect: "INVALID_REQUEST" });
    if (route.request !== undefined || route.rawBody)
      await call(name, { body: "x".repeat(maxBodyBytes(route) + 1), expect: "PAYLOAD_TOO_LARGE" });
    if (route.request !== undefined && route.auth === "admin")
      await call(name, { body: "{", expect: "INVALID_REQUEST" });
    const { status, headers } = await ask(daemon.url, route.path, { method: "MOVE" });
    t.equal(status, 405);
    t.ok(String(headers["allow"]).split(", ").includes(route.method), `${name} is in Allow`);
  }
});

t.test("a deleted product", async () => {
  await call("deleteProduct", { path: DEMO, expect: "PRODUCT_ALREADY_EXISTS" });
  await call("deleteProduct", { path: DEMO, query: "?force=true", expect: 200 });
});

t.test("every route of the table has been called, and has answered each way it can", async (t) => {
  t.same(caller.uncovered(), [], "call each of these: route, status, kind of body");
});
