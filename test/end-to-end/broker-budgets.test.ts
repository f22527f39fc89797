import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import root from "tap";
import { DaemonRoad } from "../../src/broker/ask-daemon.ts";
import { sealCallKey, sealingKeyOf } from "../../src/contract/broker/call-key.ts";
import { questionTokenOf } from "../../src/contract/broker/tokens.ts";
import { anthropicText } from "../engine/model/two-providers.ts";
import { startUpstream } from "../engine/model/upstream.ts";
import { openStream } from "../helpers/engine.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { openReplicas } from "../helpers/replicas.ts";
import { until } from "../helpers/until.ts";

interface TestUser {
  readonly id: string;
  readonly url: string;
  readonly engine_api_key: string;
}

/** Of one call, as the provider counts it. */
const TOKENS = 10;
const frames = anthropicText("an answer");
let isHeld = false;
const upstream = await startUpstream(root, async (response) => {
  await sleep(20);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(frames[0] ?? "");
  if (isHeld) return;
  for (const frame of frames.slice(1)) response.write(frame);
  response.end();
});
const env = { LLM_PROVIDER: "anthropic", LLM_API_KEY: "sk-of-the-host", LLM_BASE_URL: upstream.url };
const replicas = await openReplicas(root, { products: ["acme"], env });
const daemons = [await replicas.start(), await replicas.start(), await replicas.start()];
const [leader = daemons[0] as never] = daemons;
const { body: acme } = await leader.admin("/products/register", {
  method: "POST",
  body: { slug: "acme", policy: { requests_per_minute: null, idle_stop_s: 0 } },
});
const key = acme.platform_api_key as string;
const provision = async (user_id: string): Promise<TestUser> =>
  (await leader.platform(key, "/engines/provision", { method: "POST", body: { user_id } })).body;
const users = await Promise.all(["alice", "bob", "carol", "dave", "erin"].map(provision));
const [alice = users[0] as never] = users;
const setBudgets = (budgets: object) => leader.admin("/products/acme/policy", { method: "PUT", body: { budgets } });
let turns = 0;
/** Null for a completed turn. */
async function outcome(user: TestUser): Promise<string | null> {
  const headers = { "x-engine-key": user.engine_api_key };
  const stream = await openStream(user.url, "/execute", { headers, body: { task_id: `t${++turns}`, message: "go" } });
  if (stream.status !== 200) return `refused ${stream.status}`;
  const last = (await stream.all()).at(-1);
  return last?.event === "error" ? `${last.data.error} ${last.data.details?.budget}` : null;
}

const database = new pg.Client({ connectionString: replicas.databaseUrl });
await database.connect();
root.teardown(() => database.end());
const incarnationOf = async ({ id }: TestUser) =>
  (await database.query("select incarnation from engines where id = $1", [id])).rows[0].incarnation as string;
const period = async (user = "") =>
  (
    await database.query(
      "select granted, spent from budget_periods where product_id = $1 and user_id = $2 and budget = 'tokens_per_day'",
      [acme.id, user],
    )
  ).rows[0] as { granted: string; spent: string } | undefined;
const settled = async () =>
  (await database.query("select from budget_reservations where not is_expired")).rowCount === 0;

const sealingKey = sealingKeyOf(readFileSync(join(leader.dataDir, "secret-key"), "utf8").trim());
const brokerUrl = `http://127.0.0.1:${readFileSync(join(leader.dataDir, "broker", "port"), "utf8").trim()}`;
/** A call of an engine that was changed: it has its key, and asks nobody. */
async function rawCall(user: TestUser, more: object = {}): Promise<number> {
  const callKey = sealCallKey(sealingKey, {
    engine: user.id,
    incarnation: await incarnationOf(user),
    provider: "anthropic",
    apiKey: "sk-of-the-host",
    baseUrl: upstream.url,
    region: null,
  });
  const body = JSON.stringify({ model: "claude", max_tokens: 100, messages: [], ...more });
  const answer = await fetch(`${brokerUrl}/messages`, { method: "POST", body, headers: { "x-api-key": callKey } });
  await answer.text().catch(() => "");
  return answer.status;
}

root.test("500 parallel turns on a product's budget of one token make one model call", async (t) => {
  t.equal(await outcome(alice), null);
  const { body } = await leader.platform(key, "/engines/alice/usage");
  const { input_tokens: input, output_tokens: output } = body.data[0];
  t.equal(input + output, TOKENS);
  await setBudgets({ product: { tokens_per_day: TOKENS + 1 } });
  const before = upstream.received.length;
  const outcomes = await Promise.all(
    Array.from({ length: 500 }, (_, at) => outcome(users[at % users.length] ?? alice)),
  );
  const counts = Object.groupBy(outcomes, (one) => one ?? "completed");
  t.equal(counts["completed"]?.length, 1, JSON.stringify(Object.keys(counts)));
  t.same(
    Object.keys(counts).filter((one) => !["completed", "refused 429"].includes(one)),
    ["BUDGET_EXCEEDED product.tokens_per_day"],
  );
  t.equal(upstream.received.length, before + 1, "one call of the provider");
  await until("it is settled", settled);
  t.same(await period(), { granted: String(2 * TOKENS), spent: String(2 * TOKENS) }, "by the provider's count");
});

root.test("an engine that was changed cannot overrun a budget, nor hide what a call costs", async (t) => {
  await setBudgets({ product: { tokens_per_day: 2 * TOKENS + 1 } });
  await until("the broker knows the budgets", async () => (await rawCall(alice)) === 200);
  await until("it is settled", settled);
  await setBudgets({ product: { tokens_per_day: 3 * TOKENS + 1 } });
  const before = upstream.received.length;
  const statuses = await Promise.all(
    Array.from({ length: 500 }, (_, at) => rawCall(users[at % users.length] ?? alice)),
  );
  t.equal(statuses.filter((status) => status === 200).length, 1);
  t.equal(statuses.filter((status) => status === 429).length, 499);
  t.equal(upstream.received.length, before + 1);
  for (const hidden of [{ background: true }, { previous_response_id: "resp_1" }])
    t.equal(await rawCall(alice, hidden), 400, JSON.stringify(hidden));
});

root.test("500 reservations at three replicas on a user's budget of one token admit one", async (t) => {
  await setBudgets({ engine: { tokens_per_day: 1000 } });
  // An engine learns after twenty turns, and its call reserves too: those of the turns above may do so at any time.
  const frank = await provision("frank");
  t.equal(await outcome(frank), null, "his period exists");
  await until("it is settled", settled);
  await setBudgets({ engine: { tokens_per_day: Number((await period("frank"))?.spent) + 1 } });
  const roads = daemons.map(({ url }) => new DaemonRoad({ token: questionTokenOf(sealingKey), url }));
  t.teardown(() => roads.forEach((road) => road.close()));
  const start = { engine: frank.id, incarnation: await incarnationOf(frank) };
  const call = { ...start, provider: "anthropic", model: "claude", input: 10, output: 10 };
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, at) =>
      (roads[at % 3] as DaemonRoad).ask("reserve", { ...call, id: crypto.randomUUID() }),
    ),
  );
  t.same(
    Object.fromEntries(
      Object.entries(Object.groupBy(answers, ({ verdict }) => verdict)).map(([verdict, all]) => [verdict, all?.length]),
    ),
    { reserved: 1, wait: 499 },
  );
  const held = await database.query("select id, held from budget_reservations where not is_expired");
  t.equal(held.rowCount, 1, JSON.stringify(held.rows));
  const id = held.rows[0].id as string;
  const again = await roads[1]?.ask("reserve", { ...call, id });
  t.equal(again?.verdict, "reserved", "a repeated question reserves nothing more");
  const usage = { id, input: 7, output: 3, cache_read: 0, cache_write: 0 };
  for (const road of roads) t.same(await road.ask("settle", usage), {}, "and a repeated settlement settles once");
  const now = await period("frank");
  t.equal(now?.granted, now?.spent);
  t.match(await roads[2]?.ask("reserve", { ...call, id: crypto.randomUUID() }), {
    verdict: "refused",
    message: /^the user's budget of \d+ tokens a day is spent; it resets at /,
    details: { budget: "engine.tokens_per_day" },
  });
});

root.test("a broker killed under a call leaves a reservation that does not outlive its rule", async (t) => {
  await setBudgets({ product: { tokens_per_day: 1_000_000 } });
  await until("the broker knows the budgets", async () => (await rawCall(alice)) === 200);
  await until("it is settled", settled);
  const before = Number((await period())?.spent);
  isHeld = true;
  const cut = rawCall(alice).catch(() => 0);
  await until("it is reserved", async () => !(await settled()));
  const pid = brokerPid(leader.dataDir) ?? 0;
  process.kill(pid, "SIGKILL");
  await cut;
  isHeld = false;
  await until("the broker is back", () => brokerPid(leader.dataDir) !== pid);
  const held = await period();
  t.equal(Number(held?.spent), before, "it is not known what the call has cost");
  t.ok(Number(held?.granted) > before, "its most is held");
});

root.test("the key of an engine that has stopped, or of an earlier start, is refused", async (t) => {
  await setBudgets({});
  const old = await incarnationOf(alice);
  const keyOf = (incarnation: string) =>
    sealCallKey(sealingKey, {
      engine: alice.id,
      incarnation,
      provider: "anthropic",
      apiKey: "sk-of-the-host",
      baseUrl: upstream.url,
      region: null,
    });
  const call = async (incarnation: string) =>
    (
      await fetch(`${brokerUrl}/messages`, {
        method: "POST",
        body: JSON.stringify({ model: "claude", max_tokens: 1 }),
        headers: { "x-api-key": keyOf(incarnation) },
      })
    ).status;
  t.equal(await call(old), 200);
  t.equal((await leader.platform(key, "/engines/alice/stop", { method: "POST" })).status, 200);
  const stopped = performance.now();
  await until("it is refused", async () => (await call(old)) === 401, 15_000);
  t.comment(`refused ${Math.round(performance.now() - stopped)} ms after the stop`);
  t.equal((await leader.platform(key, "/engines/alice/start", { method: "POST" })).status, 200);
  t.equal(await call(await incarnationOf(alice)), 200);
  t.equal(await call(old), 401);
  t.equal(await call("a start that never was"), 401);
});
