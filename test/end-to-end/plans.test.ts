import root from "tap";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

interface TestUser {
  readonly port: number;
  readonly incarnation: string;
  readonly engine_api_key: string;
}

const env = { ORCH_HEALTH_INTERVAL_S: "1", LLM_PROVIDER: "sandbox", ORCH_PUBLIC_URL: "https://agents.example.com" };
const place = { dataDir: freshFolder(root), databaseUrl: await freshDatabaseUrl(root), env };
let daemon = await startDaemon(root, place);
const { body: acme } = await daemon.admin("/products/register", {
  method: "POST",
  body: { slug: "acme", policy: { requests_per_minute: null, memory_mb: 256, idle_stop_s: 0 } },
});
const platform = (path: string, method = "GET", body?: object) =>
  daemon.platform(acme.platform_api_key, path, { method, ...(body !== undefined && { body }) });
const setPlan = (name: string, policy: object) =>
  daemon.admin(`/products/acme/plans/${name}`, { method: "PUT", body: { policy } });
const setOwn = (user: string, policy: object) =>
  daemon.admin(`/products/acme/engines/${user}/policy`, { method: "PUT", body: { policy } });
const held = async (user: string) => (await platform(`/engines/${user}/policy`)).body;
const provision = (user_id: string, more: object = {}) =>
  platform("/engines/provision", "POST", { user_id, start: false, ...more });
/** Provisioned by the first test that needs an engine that runs. */
let carol: TestUser;
let tasks = 0;
/** The code with which a call of an engine is refused, or its turn ends. Null for a completed turn. */
const outcome = async ({ engine_api_key, port }: TestUser, more: object = {}) => {
  const headers = { "x-engine-key": engine_api_key };
  const body = { task_id: `task ${++tasks}`, message: "/usage 10 5 0\n/say hello", ...more };
  const stream = await openStream(`http://127.0.0.1:${port}`, "/execute", { headers, body });
  if (stream.status !== 200) return (await stream.json()).error;
  const last = (await stream.all()).at(-1);
  return last?.event === "error" ? last.data.error : null;
};
const plansOf = async () =>
  ((await daemon.admin("/products/acme/plans")).body.data as { name: string; engines: number }[]).map(
    ({ name, engines }) => `${name} ${engines}`,
  );

await setPlan("free", { memory_mb: 128, max_schedules: 1 });
await setPlan("pro", { memory_mb: 512, user_requests_per_minute: null });

root.test("the engine's own field wins over its plan's, and the plan's over the product's", async (t) => {
  const { status, body } = await provision("alice", { plan: "free" });
  t.match({ status, plan: body.plan }, { status: 201, plan: "free" });
  const origins = ({ from, policy }: { from: Record<string, string>; policy: Record<string, unknown> }) => [
    [policy["memory_mb"], from["memory_mb"]],
    [policy["idle_stop_s"], from["idle_stop_s"]],
    [policy["disk_mb"], from["disk_mb"]],
  ];
  t.same(origins(await held("alice")), [
    [128, "plan"],
    [0, "product"],
    [2048, "default"],
  ]);
  const { body: own } = await setOwn("alice", { memory_mb: 1024 });
  t.same(origins(own), [
    [1024, "engine"],
    [0, "product"],
    [2048, "default"],
  ]);
  await platform("/engines/alice", "PATCH", { plan: "pro" });
  t.match(await held("alice"), { plan: "pro", policy: { memory_mb: 1024 }, from: { memory_mb: "engine" } });
  t.match(
    (await held("alice")).policy.user_requests_per_minute,
    null,
    "null is a value of a plan: no limit, and not that of the product",
  );
  await setOwn("alice", {});
  t.match(await held("alice"), { own: {}, policy: { memory_mb: 512 }, from: { memory_mb: "plan" } });
});

root.test("a change says plan, metadata or both; null is no plan, and what is left out stays", async (t) => {
  await platform("/engines/alice", "PATCH", { metadata: { team: "blue" } });
  const { body } = await platform("/engines/alice");
  t.match(body, { plan: "pro", metadata: { team: "blue" } });
  t.match((await platform("/engines/alice", "PATCH", { plan: null })).body, { plan: null, metadata: { team: "blue" } });
  t.match(await held("alice"), { plan: null, policy: { memory_mb: 256 }, from: { memory_mb: "product" } });
  const { body: log } = await platform("/events?limit=200");
  const changes = (log.data as { type: string; data: object }[]).filter(({ type }) => type === "engine.plan_changed");
  t.same(
    changes.map(({ data }) => data),
    [
      { from: "pro", to: null },
      { from: "free", to: "pro" },
    ],
    "a change that changes no plan is no event",
  );
});

root.test("an unknown plan is refused with its field, and leaves nothing behind", async (t) => {
  for (const path of ["/engines/provision", "/engines/admit"]) {
    const { status, body } = await platform(path, "POST", { user_id: "nobody", plan: "gold" });
    t.match({ status, ...body }, { status: 400, error: { message: "plan: the product has no plan gold" } });
  }
  t.equal((await platform("/engines/nobody")).status, 404);
  t.match((await platform("/engines/alice", "PATCH", { plan: "gold" })).body, { error: { message: /^plan: / } });
});

root.test("admit and provision of an engine that exists do not undo a change", async (t) => {
  await platform("/engines/alice", "PATCH", { plan: "pro", metadata: { team: "red" } });
  const request = { user_id: "alice", plan: "free", metadata: {}, start: false };
  t.match((await platform("/engines/admit", "POST", request)).body, { plan: "pro", metadata: { team: "red" } });
  t.match((await platform("/engines/provision", "POST", request)).status, 409);
  t.match((await platform("/engines/alice")).body, { plan: "pro", metadata: { team: "red" } });
});

root.test("a plan that engines have is not deleted, but replaced", async (t) => {
  await provision("bob", { plan: "pro" });
  const refused = await daemon.admin("/products/acme/plans/pro", { method: "DELETE" });
  t.match(refused, { status: 409, body: { error: { code: "PLAN_IN_USE", message: /^2 engines have the plan pro/ } } });
  const replaced = await daemon.admin("/products/acme/plans/pro?replace_by=free", { method: "DELETE" });
  t.match(replaced, { status: 200, body: { deleted: true, engines_moved: 2 } });
  t.same(await plansOf(), ["free 2"]);
  t.match(await held("bob"), { plan: "free", policy: { memory_mb: 128 } });
  await setPlan("pro", { memory_mb: 512 });
});

root.test("schedules of an engine are limited by its plan", async (t) => {
  const schedule = (name: string) =>
    platform("/engines/bob/schedules", "POST", {
      name,
      timing: { kind: "every", every_s: 3600 },
      message: "go",
    });
  t.equal((await schedule("one")).status, 201);
  t.match((await schedule("two")).body, { error: { code: "QUOTA_EXCEEDED", message: /1 schedules/ } });
  await platform("/engines/bob", "PATCH", { plan: "pro" });
  t.equal((await schedule("two")).status, 201);
});

root.test("running engines are told of a new plan, and of a change of theirs; spent stays spent", async (t) => {
  carol = (await platform("/engines/provision", "POST", { user_id: "carol", plan: "pro" })).body;
  t.equal(await outcome(carol), null);
  await setPlan("tiny", { budgets: { engine: { tokens_per_day: 10 } } });
  await platform("/engines/carol", "PATCH", { plan: "tiny" });
  t.equal(await outcome(carol), "BUDGET_EXCEEDED", "what she spent under another plan counts");
  await setPlan("tiny", { budgets: { engine: { tokens_per_day: 1000 } } });
  t.equal(await outcome(carol), null, "a change of the plan");
  await platform("/engines/carol", "PATCH", { plan: "pro" });
  await setPlan("tiny", { budgets: { engine: { tokens_per_day: 20 } } });
  t.equal(await outcome(carol), null, "a plan that she has no longer");
  await setPlan("pro", { allowed_models: [] });
  const other = { model: "sandbox-other" };
  t.equal(await outcome(carol, other), "POLICY_DENIED");
  await setPlan("pro", {});
});

root.test("a turn that runs keeps going under a plan without its model or its budget", async (t) => {
  const headers = { "x-engine-key": carol.engine_api_key };
  const url = `http://127.0.0.1:${carol.port}`;
  const asking = await openStream(url, "/execute", { headers, body: { task_id: "waits", message: "/ask Why?" } });
  await setPlan("closed", { memory_mb: 64, allowed_models: [] });
  await platform("/engines/carol", "PATCH", { plan: "closed" });
  t.match((await platform("/engines/carol")).body, { state: "running", incarnation: carol.incarnation });
  const { body } = await ask(url, "/hitl/pending", { headers });
  const answer = { request_id: body.requests[0].request_id, answer: "because" };
  await ask(url, "/hitl/respond", { method: "POST", headers, body: answer });
  t.equal((await asking.all()).at(-1)?.event, "thread_lifecycle", "the turn was not ended");
  await platform("/engines/carol", "PATCH", { plan: "pro" });
});

root.test("usage is grouped by the plan that users have now, and engines are counted by plan", async (t) => {
  await platform("/engines/carol/usage");
  const { body } = await platform("/usage?by=plan,user");
  t.match(body.data, [{ plan: "pro", user_id: "carol", turns: 4 }]);
  const { body: refused } = await platform("/usage?by=tariff");
  t.match(refused, { error: { message: /^by: expected one or more of plan, user/ } });
  const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
  t.match(metrics, /^orch_plan_engines\{product="acme",plan="pro"\} 2$/m);
  t.match(metrics, /^orch_plan_engines\{product="acme",plan="free"\} 1$/m);
});

root.test("agents and tools are those of the plan, at once, and at the next start", async (t) => {
  const headers = { "x-engine-key": carol.engine_api_key };
  const url = `http://127.0.0.1:${carol.port}`;
  /** Whether the model can list files; the sandbox model says which tool it was not offered. */
  const lists = async () => {
    const message = '/tool list_files {"path":"."}\n/say done';
    const stream = await openStream(url, "/execute", { headers, body: { task_id: `lists ${++tasks}`, message } });
    const events = await stream.all();
    const text = events.map(({ event, data }) => (event === "text_delta" ? data.text : "")).join("");
    return /offered no tool .list_files/.test(text) ? false : events.some(({ event }) => event === "tool_result");
  };
  const coder = { agent: "coder", message: "/say hello" };
  t.equal(await lists(), true);
  t.equal(await outcome(carol, coder), null);
  await setPlan("pro", { allowed_agents: ["review*"], allowed_tools: ["read_file"] });
  t.match(await held("carol"), { policy: { allowed_agents: ["review*"] }, from: { allowed_tools: "plan" } });
  t.equal(await lists(), false);
  t.equal(await outcome(carol, coder), "POLICY_DENIED");
  const body = { task_id: "said", ...coder };
  const refused = await ask(url, "/execute", { method: "POST", headers, body });
  t.match(
    refused.body.message,
    /^agent: the product's policy does not allow the agent coder; it allows default, review\*$/,
  );
  t.equal(await outcome(carol, { ...coder, agent: "reviewer" }), null);
  await platform("/engines/carol/stop", "POST");
  await platform("/engines/carol/start", "POST");
  carol = { ...carol, ...(await platform("/engines/carol")).body };
  t.equal(await outcome(carol, coder), "POLICY_DENIED", "after a start");
  await setOwn("carol", { allowed_agents: null });
  t.equal(await outcome(carol, coder), null, "what is set for the engine alone");
  await setOwn("carol", {});
  await setPlan("pro", {});
  t.equal(await outcome(carol, coder), null);
  t.match((await setPlan("pro", { allowed_tools: ["a b"] })).body, {
    error: { message: /^policy\.allowed_tools\.0: / },
  });
  t.match((await setPlan("pro", { allowed_agents: ["Coder"] })).body, {
    error: { message: /^policy\.allowed_agents\.0: / },
  });
});

root.test("a queued message whose agent is no longer allowed fails, and no other agent takes it", async (t) => {
  const headers = { "x-engine-key": carol.engine_api_key };
  const url = `http://127.0.0.1:${carol.port}`;
  const task = { task_id: "waits for coder", agent: "coder" };
  const asking = await openStream(url, "/execute", { headers, body: { ...task, message: "/ask Go on?\n/say done" } });
  const queued = { ...task, message: "/say as another agent", when_busy: "queue" };
  const waiting = await openStream(url, "/execute", {
    headers: { ...headers, accept: "text/event-stream" },
    body: queued,
  });
  await setPlan("pro", { allowed_agents: ["review*"] });
  const { body } = await ask(url, "/hitl/pending", { headers });
  const answer = { request_id: body.requests[0].request_id, answer: "yes" };
  await ask(url, "/hitl/respond", { method: "POST", headers, body: answer });
  t.match((await asking.all()).at(-1), { event: "thread_lifecycle", data: { phase: "completed" } }, "it had begun");
  const events = await waiting.all();
  t.match(events.at(-1), {
    event: "error",
    data: {
      error: "POLICY_DENIED",
      message: "agent: the product's policy does not allow the agent coder; it allows default, review*",
    },
  });
  t.notOk(events.some(({ event }) => event === "text_delta"));
  await setPlan("pro", {});
});

root.test("an end user's token cannot change the plan, and its limits are those of the plan", async (t) => {
  const { body: made } = await platform("/engines/carol/tokens", "POST", { ttl_s: 600 });
  const call = (path: string, method = "GET", body?: object) =>
    ask(daemon.url, path, { method, headers: { authorization: `Bearer ${made.token}` }, ...(body && { body }) });
  t.equal((await call("/engines/carol", "PATCH", { plan: "free" })).status, 401);
  t.not((await call("/me", "PATCH", { plan: "free" })).status, 200);
  t.match((await platform("/engines/carol")).body, { plan: "pro" });
  t.equal((await call("/me/tasks")).status, 200);
  await setPlan("slow", { user_requests_per_minute: 1 });
  await platform("/engines/carol", "PATCH", { plan: "slow" });
  await until("the limit holds", async () => (await call("/me/tasks")).status === 429);
  await platform("/engines/carol", "PATCH", { plan: "pro" });
  t.equal((await call("/me/tasks")).status, 200, "and no longer than the plan");
});

root.test("a daemon that died before it told an engine tells it when it is back", async (t) => {
  await daemon.stop("SIGKILL");
  daemon = await startDaemon(root, place);
  await platform("/engines/carol", "PATCH", { plan: "tiny" });
  await until("it has its budget", async () => (await outcome(carol)) === "BUDGET_EXCEEDED");
  await daemon.stop("SIGKILL");
  t.equal(await outcome(carol), "BUDGET_EXCEEDED", "engines go on without a daemon");
  daemon = await startDaemon(root, place);
  await platform("/engines/carol", "PATCH", { plan: null });
  await until("it has none", async () => (await outcome(carol)) === null);
});

root.test("a deleted product leaves no engine", async (t) => {
  t.equal((await daemon.admin("/products/acme?force=true", { method: "DELETE" })).status, 200);
});
