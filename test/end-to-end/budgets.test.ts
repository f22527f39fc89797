import pg from "pg";
import root from "tap";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

interface TestUser {
  readonly url: string;
  readonly engine_api_key: string;
}

const env = { ORCH_HEALTH_INTERVAL_S: "1", LLM_PROVIDER: "sandbox" };
const place = { dataDir: freshFolder(root), databaseUrl: await freshDatabaseUrl(root), env };
let daemon = await startDaemon(root, place);
const { body: acme } = await daemon.admin("/products/register", {
  method: "POST",
  // Waits for conditions are many calls.
  body: { slug: "acme", policy: { requests_per_minute: null } },
});
const get = async (path: string) => (await daemon.platform(acme.platform_api_key, path)).body;
const provision = async (user_id: string): Promise<TestUser> =>
  (await daemon.platform(acme.platform_api_key, "/engines/provision", { method: "POST", body: { user_id } })).body;
const setBudgets = (budgets: object) => daemon.admin("/products/acme/policy", { method: "PUT", body: { budgets } });
let tasks = 0;
/** The code of the error that a turn ends with, by HTTP or as its last event; null for a completed one. */
const outcome = async (user: TestUser, message = "/usage 10 5 0\n/say hello", task = `task ${++tasks}`) => {
  const headers = { "x-engine-key": user.engine_api_key };
  const stream = await openStream(user.url, "/execute", { headers, body: { task_id: task, message } });
  if (stream.status !== 200) return "refused";
  const last = (await stream.all()).at(-1);
  return last?.event === "error" ? { error: last.data.error, budget: last.data.details.budget } : null;
};
const refusal = (user: TestUser) =>
  ask(user.url, "/execute", {
    method: "POST",
    headers: { "x-engine-key": user.engine_api_key },
    body: { task_id: `task ${++tasks}`, message: "/say no" },
  });
const events = async (type: string) =>
  (await get("/events?limit=200")).data.filter((event: { type: string }) => event.type === type);
const alice = await provision("alice");

root.test("a budget of each engine stops its user, names itself, and a policy change lifts it at once", async (t) => {
  // With a turn the engine's spending is read with each probe, and otherwise once a minute.
  const headers = { "x-engine-key": alice.engine_api_key };
  const asking = await openStream(alice.url, "/execute", { headers, body: { task_id: "ask", message: "/ask Why?" } });
  t.match((await setBudgets({ engine: { tokens_per_day: 20 } })).body.policy.budgets, {
    engine: { tokens_per_day: 20 },
    product: {},
    warn_at: 0.8,
  });
  await until("the engine has it", async () => (await outcome(alice)) !== null);
  const { status, headers: sent, body } = await refusal(alice);
  t.equal(status, 429);
  t.match(body, { error: "BUDGET_EXCEEDED", details: { budget: "engine.tokens_per_day", limit: 20 } });
  t.ok(Number(sent["retry-after"]) > 0 && Number(sent["retry-after"]) <= 86_400, "Retry-After");
  t.match(body.details.resets_at, /T00:00:00\.000Z$/);
  await until("the stop is an event", async () => (await events("budget.spent")).length === 1);
  t.match((await events("budget.spent"))[0], {
    user_id: "alice",
    data: { budget: "engine.tokens_per_day", limit: 20 },
  });
  await ask(alice.url, "/execute/cancel", { method: "POST", headers, body: { task_id: "ask" } });
  await asking.all();
  await setBudgets({});
  await until("it is lifted", async () => (await outcome(alice)) === null);
});

root.test("a notice that cannot be stored is stored later", async (t) => {
  const database = new pg.Client({ connectionString: place.databaseUrl });
  await database.connect();
  t.teardown(() => database.end());
  const before = (await events("budget.spent")).length;
  await database.query("alter table budget_notices rename to budget_notices_away");
  const headers = { "x-engine-key": alice.engine_api_key };
  const asking = await openStream(alice.url, "/execute", { headers, body: { task_id: "ask", message: "/ask Why?" } });
  await setBudgets({ engine: { tokens_per_month: 20 } });
  await until("it fails", () => daemon.output().includes("failed to update the budgets of an engine"));
  await database.query("alter table budget_notices_away rename to budget_notices");
  await until("the stop is an event", async () => (await events("budget.spent")).length === before + 1);
  await ask(alice.url, "/execute/cancel", { method: "POST", headers, body: { task_id: "ask" } });
  await asking.all();
  await setBudgets({});
  await until("it is lifted", async () => (await outcome(alice)) === null);
});

root.test(
  "a turn that runs out between two model calls ends with the budget's name, and its task goes on",
  async (t) => {
    const { input_tokens: input, output_tokens: output } = (await get("/engines/alice/usage")).data[0];
    await setBudgets({ engine: { tokens_per_month: input + output + 10 } });
    const script = '/usage 10 5 0\n/tool list_files {"path":"."}\n/say done';
    await until("the engine has it", async () => {
      const { body } = await daemon.admin("/products/acme");
      return body.policy.budgets.engine.tokens_per_month !== undefined;
    });
    const ended = await outcome(alice, script, "cut");
    t.same(ended, { error: "BUDGET_EXCEEDED", budget: "engine.tokens_per_month" });
    await setBudgets({});
    await until("the task goes on", async () => (await outcome(alice, "/say on", "cut")) === null);
  },
);

root.test("200 parallel turns of three engines on a product's budget of one make one model call", async (t) => {
  const users = [alice, await provision("bob"), await provision("carol")];
  const calls = async () =>
    (await get("/usage?by=model")).data.reduce((sum: number, row: { model_calls: number }) => sum + row.model_calls, 0);
  for (const name of ["alice", "bob", "carol"]) await get(`/engines/${name}/usage`);
  const before = await calls();
  const { input_tokens: input, output_tokens: output } = (await get("/usage?by=day")).data[0];
  // What was spent before counts: one token is left.
  await setBudgets({ product: { tokens_per_day: input + output + 1 }, warn_at: 0.5 });
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      outcome(users[at % users.length] ?? alice, "/slow 50\n/usage 10 5 0\n/say x"),
    ),
  );
  const counts = Object.groupBy(outcomes, (one) => (one === null ? "completed" : "refused"));
  t.equal(counts.completed?.length, 1, "one turn");
  t.equal(counts.refused?.length, 199);
  for (const name of ["alice", "bob", "carol"]) await get(`/engines/${name}/usage`);
  t.equal(await calls(), before + 1, "one model call");
  const ofProduct = (event: { user_id: string | null }) => event.user_id === null;
  t.equal((await events("budget.warned")).filter(ofProduct).length, 1, "once in the period");
  t.match((await events("budget.spent"))[0], { user_id: null, data: { budget: "product.tokens_per_day" } });
  t.match((await refusal(alice)).body, { error: "BUDGET_EXCEEDED", details: { budget: "product.tokens_per_day" } });
});

root.test("shares outlive the daemon, and come back from an engine that sleeps", async (t) => {
  const { input_tokens: input, output_tokens: output } = (await get("/usage?by=day")).data[0];
  await setBudgets({ product: { tokens_per_day: input + output + 1_000_000 } });
  await until("the stop is lifted", async () => (await outcome(alice)) === null);
  await daemon.stop("SIGKILL");
  t.equal(await outcome(alice), null, "an engine uses its share without a daemon");
  daemon = await startDaemon(root, place);
  const sleep = () => daemon.platform(acme.platform_api_key, "/engines/alice/sleep", { method: "POST", body: {} });
  await until("it sleeps", async () => (await sleep()).status === 200);
  t.equal(await outcome(alice), null, "the woken engine gets its share again");
  const wrong = await setBudgets({ engine: { tokens_per_week: 1 } });
  t.match(wrong.body.error.message, "budgets.engine.tokens_per_week: unknown field");
  t.match(
    (await setBudgets({ engine: { cost_per_day: 0.0000001 } })).body.error.message,
    /^budgets\.engine\.cost_per_day: /,
  );
  const doctor = async () =>
    (await daemon.admin("/admin/doctor")).body.checks.find(({ name }: { name: string }) => name === "prices");
  t.equal(await doctor(), undefined, "tokens need no prices");
  await setBudgets({ product: { cost_per_month: 10 } });
  t.match(await doctor(), { status: "warning", message: /refuse model calls of acme$/, fix: /ORCH_PRICES/ });
  await setBudgets({});
  await daemon.admin("/products/acme/plans/pro", {
    method: "PUT",
    body: { policy: { budgets: { engine: { cost_per_day: 1 } } } },
  });
  t.match(await doctor(), { message: /of acme$/ }, "a plan limits them too");
  t.match((await setBudgets({ warn_at: 2 })).body.error.message, /^budgets\.warn_at: /);
  t.equal(
    (await daemon.admin("/products/acme?force=true", { method: "DELETE" })).status,
    200,
    "nothing is left running",
  );
});
