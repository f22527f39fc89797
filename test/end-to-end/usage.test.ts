import { writeFileSync } from "node:fs";
import { join } from "node:path";
import root from "tap";
import { dayOf } from "../../src/contract/engine/metered-usage.ts";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const PRICE = {
  provider: "sandbox",
  model: "sandbox",
  valid_from: "2020-01-01",
  input: 3,
  output: 15,
  cache_read: 0.3,
};
const prices = freshFolder(root, "prices");
const priceFile = join(prices, "prices.json");
const writePrices = (...list: readonly object[]) => {
  writeFileSync(priceFile, JSON.stringify({ currency: "USD", prices: list }));
};
writePrices(PRICE);
const env = { ORCH_HEALTH_INTERVAL_S: "1", ORCH_PRICES: priceFile, LLM_PROVIDER: "sandbox" };
const place = { dataDir: freshFolder(root), databaseUrl: await freshDatabaseUrl(root), env };
let daemon = await startDaemon(root, place);
const { body: acme } = await daemon.admin("/products/register", { method: "POST", body: { slug: "acme" } });
const get = (path: string) => daemon.platform(acme.platform_api_key, path);
const post = (path: string, body: unknown = {}) =>
  daemon.platform(acme.platform_api_key, path, { method: "POST", body });
const { body: engine } = await post("/engines/provision", { user_id: "alice" });
let tasks = 0;
const turn = async (message: string, of = engine) => {
  const stream = await openStream(of.url, "/execute", {
    headers: { "x-engine-key": of.engine_api_key },
    body: { task_id: `task ${++tasks}`, message },
  });
  return stream.all();
};
/** Of a user; the first group. */
const spent = async (user: string, query = "") => (await get(`/engines/${user}/usage${query}`)).body.data[0];
const today = dayOf(Date.now());

root.test("a user's usage is exact at once, with its cost", async (t) => {
  await turn("/usage 1000000 100000 400000\n/say one");
  const { status, body } = await get("/engines/alice/usage");
  t.equal(status, 200);
  t.match(body, { currency: "USD", until: today, since: `${today.slice(0, 7)}-01`, next_cursor: null });
  // 600,000 at 3, 400,000 at 0.3 and 100,000 at 15 per million.
  t.match(body.data, [
    { day: today, model_calls: 1, turns: 1, failed_turns: 0, tool_calls: 0, cost_micros: 3_420_000 },
  ]);
  const [byModel] = (await get("/usage?by=user,model")).body.data;
  t.match(byModel, { user_id: "alice", provider: "sandbox", model: "sandbox", turns: null, cost_micros: 3_420_000 });
  const collected = await Promise.all(Array.from({ length: 8 }, () => spent("alice")));
  t.same(
    new Set(collected.map(({ model_calls: calls }) => calls)),
    new Set([1]),
    "collected at once by many, counted once",
  );
});

root.test(
  "kills of the engine and of the daemon between a turn and its collection lose and double nothing",
  async (t) => {
    const { pid } = (await get("/engines/alice")).body;
    await turn("/usage 10 1 0\n/say before the engine is killed");
    process.kill(pid, "SIGKILL");
    await until("it runs again", async () => {
      const { body } = await get("/engines/alice");
      return body.state === "running" && body.pid !== pid;
    });
    t.match(await spent("alice"), { turns: 2, model_calls: 2, input_tokens: 1_000_010, output_tokens: 100_001 });
    await turn("/usage 10 1 0\n/say before the daemon is killed");
    await daemon.stop("SIGKILL");
    await turn("/usage 10 1 0\n/say without a daemon");
    daemon = await startDaemon(root, place);
    await until("the running engine is collected", async () => (await get("/usage")).body.data[0].turns === 4);
    t.match(await spent("alice"), { turns: 4, model_calls: 4, input_tokens: 1_000_030, output_tokens: 100_003 });
  },
);

root.test("usage before a sleep, a stop and a destroy is kept", async (t) => {
  await turn("/usage 10 1 0\n/say before the sleep");
  t.equal((await post("/engines/alice/sleep")).status, 200);
  t.match((await get("/usage")).body.data, [{ user_id: "alice", turns: 5 }]);
  await turn("/usage 10 1 0\n/say the call woke it");
  // A stop that comes before the daemon knows of the wake ends the boot. What that process spent is read later.
  await get("/engines/alice/wait?state=running");
  await post("/engines/alice/stop");
  const [alice] = (await get("/usage")).body.data;
  t.match(alice, { user_id: "alice", turns: 6, model_calls: 7 }, "with the learning batch that came before the sleep");
  const { body: bob } = await post("/engines/provision", { user_id: "bob" });
  await turn("/usage 10 1 0\n/say bob", bob);
  await daemon.stop("SIGKILL");
  await turn("/usage 5 1 0\n/say collected by nobody", bob);
  process.kill(bob.pid, "SIGKILL");
  daemon = await startDaemon(root, place);
  for (const user of ["alice", "bob"])
    t.equal((await daemon.platform(acme.platform_api_key, `/engines/${user}`, { method: "DELETE" })).status, 200);
  t.equal((await get("/engines/bob")).status, 404);
  const { body } = await get("/usage?limit=1");
  t.match(body.data, [alice]);
  const next = await get(`/usage?limit=1&cursor=${body.next_cursor}`);
  t.match(next.body.data, [{ user_id: "bob", turns: 2, input_tokens: 15, model_calls: 2 }], "the second page");
  t.match(await spent("bob"), { turns: 2 });
  const { body: admin } = await daemon.admin("/admin/usage?product_id=acme");
  t.match(admin.data, [{ product_id: acme.id, turns: 8, input_tokens: alice.input_tokens + 15 }]);
  t.match((await daemon.admin("/admin/usage?product_id=nobody")).body.error, { code: "PRODUCT_NOT_FOUND" });
});

root.test("a model without a price has no cost, and the report says so", async (t) => {
  const reload = () => daemon.admin("/admin/prices/reload", { method: "POST", body: {} });
  writePrices({ ...PRICE, model: "another" });
  t.match(await reload(), { status: 200, body: { currency: "USD", entries: 1 } });
  t.match(await spent("bob"), { cost_micros: null, unpriced_tokens: 17 });
  writePrices({ ...PRICE, valid_from: "2999-01-01" });
  await reload();
  t.match(await spent("bob"), { cost_micros: null }, "nor has one whose price is valid later");
  writePrices(PRICE, { ...PRICE, input: 0.0000001, model: "", more: 1 }, { ...PRICE, valid_from: "yesterday" }, PRICE);
  const { status, body } = await reload();
  t.equal(status, 400);
  for (const fault of [
    "prices[1].input: ",
    "prices[1].model: ",
    "prices[1].more: unknown field",
    "prices[2].valid_from: ",
  ])
    t.ok(body.error.message.includes(fault), fault);
  writePrices(PRICE, PRICE);
  t.match((await reload()).body.error.message, "prices[1]: prices[0] has the same provider, model and valid_from");
  writeFileSync(priceFile, "{");
  t.match((await reload()).body.error.message, /ORCH_PRICES: expected JSON: /);
  t.match(await spent("bob"), { cost_micros: null }, "a faulty table changes nothing");
  writePrices(PRICE);
  await reload();
  t.match(await spent("bob"), { cost_micros: 75 });
});

root.test("a wrong parameter is named", async (t) => {
  const problems = [
    ["/usage?since=2026-02-30", /^since: /],
    ["/usage?since=2026-02-02&until=2026-02-01", /^since: .*until/],
    ["/usage?since=2020-01-01", /^since: expected at most 400 days/],
    ["/usage?by=product", /^by: expected one or more of plan, user, day, model/],
    ["/usage?by=day,day", /^by: /],
    ["/usage?cursor=x", /^cursor: /],
    ["/usage?by=day&cursor=WyJ1c2VyIiwiYSJd", /^cursor: /],
    ["/usage?limit=0", /^limit: /],
  ] as const;
  for (const [path, message] of problems)
    t.match((await get(path)).body.error, { code: "INVALID_REQUEST", message }, path);
  const metrics = (await ask(daemon.url, "/metrics")).text;
  t.match(metrics, /orch_cost_today\{product="acme",currency="USD"\} 3\.4/);
  t.notMatch(metrics, /alice|bob/);
});
