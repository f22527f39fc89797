import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type JWTPayload, createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import t from "tap";
import { sealCallKey, sealingKeyOf } from "../../src/contract/broker/call-key.ts";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { IDENTITY_PATH } from "../../src/contract/broker/identity-call.ts";
import { says, tinyToolServer } from "../engine/mcp/tiny-tool-server.ts";
import { ask } from "../helpers/api.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freePort } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const AUDIENCE = "https://api.example.com";
const port = await freePort();
const issuer = `http://127.0.0.1:${port}`;
const dataDir = freshFolder(t, "orchd-identity");
const fleet = await openFleet(t, {
  dataDir,
  env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: issuer },
  policy: { tool_network: ["127.0.0.1"] },
});

/** The service of docs/identity.md, at an address of the test. */
async function documentedService(product: string): Promise<string> {
  const document = readFileSync(resolve(import.meta.dirname, "../../docs/identity.md"), "utf8");
  const [, code = ""] = /<!-- check of a token -->\s+```js\n([^]*?)```/.exec(document) ?? [];
  const here = code
    .replace('"https://agents.example.com"', JSON.stringify(issuer))
    .replace('"shop"', JSON.stringify(product))
    .replace("server.listen(8080);", "export { server };");
  const file = join(t.testdir(), `${product}.mjs`);
  writeFileSync(file, here);
  const { server } = (await import(pathToFileURL(file).href)) as { server: Server };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const service = await documentedService("sleepy");
const shop = await tinyToolServer(t, says("sold"));
const identity = { audience: AUDIENCE };
const tool = (url: string) => JSON.stringify({ description: "Orders.", http: { url, identity }, permission: "allow" });
const catalog = {
  "tools/orders.json": tool(`${service}/orders`),
  ".mcp.json": JSON.stringify({ mcpServers: { shop: { url: shop.url, identity, permissions: { "*": "allow" } } } }),
};
const push = async (platformKey: string) => {
  const headers = { "content-type": "application/gzip" };
  const pushed = await fleet.daemon.platform(platformKey, "/catalog", {
    method: "PUT",
    body: await catalogArchive(catalog),
    headers,
  });
  if (pushed.status >= 300) throw new Error(pushed.text);
};
await push(fleet.platformKey);
const alice = await fleet.provision("alice");
const bob = await fleet.provision("bob");

let tasks = 0;
/** The result of a tool that an engine's agent calls. */
async function callTool(engine: Pick<Sleeper, "execute">, name: string): Promise<unknown> {
  const frames = await (await engine.execute(`t${tasks++}`, `/tool ${name} {}`)).all();
  const result = frames.find(({ event }) => event === "tool_result");
  return result?.data;
}
const verify = async (token: string): Promise<JWTPayload> =>
  (
    await jwtVerify(token, createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`)), {
      issuer,
      audience: AUDIENCE,
    })
  ).payload;
const tokens = () => shop.seen.map(({ headers }) => headers.authorization?.replace("Bearer ", "") ?? "");

const sealingKey = sealingKeyOf(readFileSync(join(dataDir, "secret-key"), "utf8").trim());
const broker = () => `http://127.0.0.1:${readFileSync(join(dataDir, "broker", "port"), "utf8").trim()}`;
const askBroker = (key: string, body: object) =>
  ask(broker(), IDENTITY_PATH, { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
const startOf = async ({ id, user }: Sleeper) => ({
  engine: id,
  incarnation: (await fleet.platform("GET", `/engines/${user}`)).body.incarnation as string,
});

t.test("a product's service knows for which user an agent calls", async (t) => {
  for (const engine of [alice, bob])
    t.match(await callTool(engine, "orders"), { output: new RegExp(`"orders_of":"${engine.user}"`) });
  t.equal((await ask(service, "/orders")).status, 401, "without a token");
});

t.test("a remote tool server gets a token with each request, which jose verifies", async (t) => {
  await until("it is listed", async () => JSON.stringify(await callTool(alice, "mcp__shop__speak")).includes("sold"));
  const claims = await Promise.all(tokens().map(verify));
  t.ok(claims.length > 3);
  const users = claims.map(({ sub, product, act }) => JSON.stringify({ sub, product, act }));
  t.ok(
    users.includes(JSON.stringify({ sub: "alice", product: "sleepy", act: { engine: alice.id, agent: "default" } })),
  );
  t.ok(users.includes(JSON.stringify({ sub: "bob", product: "sleepy", act: { engine: bob.id } })), "of its list alone");
  t.equal(new Set(claims.map(({ jti }) => jti)).size, claims.length);
  for (const { iat = 0, exp = 0 } of claims) t.equal(exp - iat, 300);
});

t.test("the keys are public, cached, and found by the issuer", async (t) => {
  const { body, headers } = await ask(issuer, "/.well-known/openid-configuration");
  t.match(body, { issuer, jwks_uri: `${issuer}/.well-known/jwks.json` });
  t.match(headers["cache-control"], /max-age=300/);
  const keys = await ask(issuer, "/.well-known/jwks.json");
  t.match(keys.headers["cache-control"], /public, max-age=300/);
  t.same(Object.keys(keys.body.keys[0]).toSorted(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
  const tag = String(keys.headers["etag"]);
  t.equal((await ask(issuer, "/.well-known/jwks.json", { headers: { "if-none-match": tag } })).status, 304);
});

t.test("attack: an engine asks for a token of another user", async (t) => {
  const start = await startOf(alice);
  const key = sealEngineKey(sealingKey, start);
  const asked = { audience: AUDIENCE, agent: "default" };
  const { status, body } = await askBroker(key, asked);
  t.equal(status, 200);
  t.match(decodeJwt(body.token as string), { sub: "alice", act: { engine: alice.id } });
  for (const more of [
    { engine: bob.id },
    { sub: "bob" },
    { user_id: "bob" },
    { product: "other" },
    { incarnation: "x" },
  ])
    t.equal((await askBroker(key, { ...asked, ...more })).status, 400, JSON.stringify(more));
  const altered = `${key.slice(0, -4)}${key.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  const route = { ...start, provider: "anthropic", apiKey: null, baseUrl: null, region: null } as const;
  const callKey = sealCallKey(sealingKey, route).replace("orchm_", "orche_");
  const stranger = sealEngineKey(sealingKeyOf("another deployment"), start);
  for (const bad of ["", altered, callKey, stranger, alice.key, key.replace("orche_", "orchm_")])
    t.equal((await askBroker(bad, asked)).status, 401);
  for (const bad of [{}, { ...asked, audience: "a b" }, { audience: AUDIENCE }, { ...asked, agent: "x".repeat(300) }])
    t.equal((await askBroker(key, bad)).status, 400);
  t.equal((await askBroker(key, { ...asked, agent: "x".repeat(10_000) })).status, 413);
  const mixed = { engine: bob.id, incarnation: start.incarnation };
  t.equal((await askBroker(sealEngineKey(sealingKey, mixed), asked)).status, 409, "a start of another engine");
});

t.test("attack: a product's user with the name of another product's", async (t) => {
  const { body: other } = await fleet.daemon.admin("/products/register", {
    method: "POST",
    body: { slug: "other", policy: { tool_network: ["127.0.0.1"] } },
  });
  t.teardown(() => fleet.daemon.admin("/products/other?force=true", { method: "DELETE" }));
  const key = other.platform_api_key as string;
  await push(key);
  const { body: made } = await fleet.daemon.platform(key, "/engines/provision", {
    method: "POST",
    body: { user_id: "alice" },
  });
  const engine = fleet.sleeper({ user: "alice", id: made.id, url: made.url, key: made.engine_api_key });
  t.match(JSON.stringify(await callTool(engine, "orders")), /HTTP 401/);
});

t.test("tokens outlive a rotation, a killed broker, a killed daemon and a sleep", async (t) => {
  const works = async (title: string) =>
    t.match(await callTool(alice, "orders"), { output: /"orders_of":"alice"/ }, title);
  const { status, body } = await fleet.daemon.admin("/admin/identity/rotate-key", { method: "POST", body: {} });
  t.match({ status, body }, { status: 200, body: { published: 2 } });
  await works("after a rotation");
  process.kill(brokerPid(dataDir) ?? 0, "SIGKILL");
  await works("after the broker's end");
  const cut = await alice.execute("late", "/slow 300\n/tool orders {}");
  await fleet.daemon.stop("SIGKILL");
  cut.cut();
  await fleet.restart();
  await until("the call that waited for the daemon has its token", async () =>
    (await alice.call("/tasks/late/messages")).text.includes("orders_of"),
  );
  const before = await startOf(alice);
  await alice.sleep();
  const asked = { audience: AUDIENCE, agent: "default" };
  const old = sealEngineKey(sealingKey, before);
  t.equal((await askBroker(old, asked)).status, 409, "a start that has ended gets none");
  await works("after a sleep");
});

t.test("no token is in a log, an event, an answer or an environment", async (t) => {
  const given = tokens();
  t.ok(given.length > 0);
  const signatures = given.map((token) => token.split(".")[2] ?? "");
  const found = (text: string) => signatures.filter((signature) => text.includes(signature));
  t.equal(found(signatures.join()).length, given.length, "the search can find");
  t.same(found(fleet.daemon.output()), []);
  for (const path of ["/engines/alice", "/engines/alice/logs?tail=1000", "/events?limit=200"])
    t.same(found((await fleet.platform("GET", path)).text), [], path);
  for (const path of ["/assets/servers", "/turns"]) t.same(found((await alice.call(path)).text), [], path);
  t.same(found(readFileSync(join(dataDir, "broker", "log"), "utf8")), []);
  const { body } = await fleet.platform("GET", "/engines/alice");
  for (const file of ["environ", "cmdline"])
    t.same(found(readFileSync(`/proc/${body.pid}/${file}`, "latin1")), [], file);
});

t.test("without a public URL a tool that asks for a token is not called", async (t) => {
  await fleet.daemon.stop();
  await fleet.restart({ ORCH_PUBLIC_URL: "" });
  await fleet.platform("POST", "/engines/bob/stop", {});
  await fleet.platform("POST", "/engines/bob/start", {});
  await bob.isIn("running");
  t.match(JSON.stringify(await callTool(bob, "orders")), /ORCH_PUBLIC_URL/);
});
