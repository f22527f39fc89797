import { once } from "node:events";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { openConsole, signInHeaders } from "../helpers/console.ts";
import type { Daemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { orchctlFor } from "../helpers/orchctl.ts";
import { openReplicas } from "../helpers/replicas.ts";
import { decides, startHook } from "../helpers/tool-hook.ts";
import { until } from "../helpers/until.ts";

/** Of a leader that is killed or frozen. */
const TAKEOVER_MS = 10_000;

const replicas = await openReplicas(t, { products: ["acme", "limited"] });
const first = await replicas.start();
const second = await replicas.start();
const { adminKey } = first;

const register = async (slug: string, policy: object = {}): Promise<string> => {
  const limits = { max_engines: null, requests_per_minute: null, idle_stop_s: 0, drain_s: 1 };
  const body = { slug, policy: { ...limits, ...policy } };
  return (await second.admin("/products/register", { method: "POST", body })).body.platform_api_key;
};
const key = await register("acme");

const provision = (daemon: Daemon, user: string, headers: Readonly<Record<string, string>> = {}) =>
  daemon.platform(key, "/engines/provision", { method: "POST", body: { user_id: user }, headers });

const made = await provision(second, "anna");
const anna = { id: made.body.id as string, headers: { "x-engine-key": made.body.engine_api_key as string } };
const show = async (daemon: Daemon) => (await daemon.platform(key, "/engines/anna")).body;
const events = async (daemon: Daemon, type: string) => {
  const { body } = await daemon.admin("/admin/events?limit=200");
  return body.data.filter((event: { type: string; engine_id: string | null }) => event.type === type);
};

t.test("every replica serves every call, and says who leads", async (t) => {
  t.equal(made.status, 201);
  t.match((await ask(first.url, "/health")).body, { role: "leader", leader: first.url });
  t.match((await ask(second.url, "/health")).body, { role: "follower", leader: first.url });
  t.match((await ask(second.url, "/ready")).body, { status: "ready", role: "follower" });
  const doctor = await orchctlFor(t, second)(["doctor"], { env: { ORCH_ADMIN_KEY: adminKey } });
  t.match(doctor.stdout, `ok       leader       this daemon follows ${first.url}, which leads`);
  const { health: followed, ...throughFollower } = await show(second);
  const { health: led, ...throughLeader } = await show(first);
  t.same(throughFollower, throughLeader);
  t.same(Object.keys(followed), Object.keys(led), "its values may change between the two calls");
  t.match(await ask(second.url, "/engines", {}), { status: 401, body: { error: { code: "INVALID_PLATFORM_KEY" } } });
  t.match(await second.admin("/nowhere"), { status: 404, body: { error: { code: "NOT_FOUND" } } });
  const named = await second.admin("/admin/status", { headers: { "x-request-id": "mine" } });
  t.match(named, { status: 200, headers: { "x-request-id": "mine" } });
  const circle = { "x-platform-key": key, via: "1.1 orchd-replica" };
  t.match(await ask(second.url, "/engines", { headers: circle }), { status: 503, text: /follows/ }, "not in a circle");
  const [leads, follows] = await Promise.all([first, second].map(({ url }) => ask(url, "/metrics")));
  t.match(leads?.text, /^orch_leader 1$/m);
  t.match(follows?.text, /^orch_leader 0$/m);
  t.match(follows?.text, /^orch_replica_calls_total\{outcome="answered"\} [1-9]/m);
});

t.test("a session of the console is one on every replica", async (t) => {
  const signedIn = await openConsole(second);
  const { cookie } = signedIn;
  const onFirst = { ...signInHeaders(first.url), cookie };
  t.equal((await signedIn.call("/console/")).status, 200);
  t.match(await signedIn.call("/engines/anna", { product: "acme" }), { status: 200, body: { id: anna.id } });
  t.equal((await ask(first.url, "/admin/status", { headers: onFirst })).status, 200);
  t.match(await signedIn.call(`/e/${anna.id}/hitl/pending`), { status: 200, body: { requests: [] } });
  t.equal((await signedIn.call("/admin/status", { headers: { origin: "https://evil.example" } })).status, 400);
  t.equal((await signedIn.call("/console/session", { method: "DELETE" })).status, 200);
  t.equal((await ask(first.url, "/admin/status", { headers: onFirst })).status, 401);
});

t.test("a key that is used on two replicas at once makes one engine", async (t) => {
  const headers = { "idempotency-key": "once" };
  const answers = await Promise.all([first, second, first, second].map((daemon) => provision(daemon, "bob", headers)));
  const created = answers.filter(({ status }) => status === 201);
  t.ok(created.length > 0);
  t.equal(new Set(created.map(({ body }) => body.id)).size, 1);
  for (const { status, body } of answers)
    if (status !== 201) t.match({ status, body }, { status: 409, body: { error: { code: "OPERATION_IN_PROGRESS" } } });
});

t.test("the calls of a minute are counted across replicas", async (t) => {
  const limited = await register("limited", { requests_per_minute: 7 });
  const calls = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? first : second).platform(limited, "/engines"));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 200).length, 7);
  t.equal(statuses.filter((status) => status === 429).length, 13);
});

t.test("events stream through a follower", async (t) => {
  const reading = new AbortController();
  const headers = { "x-admin-key": adminKey, accept: "text/event-stream" };
  const { body } = await fetch(`${second.url}/admin/events`, { headers, signal: reading.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  await provision(first, "carl");
  let seen = "";
  while (!seen.includes("engine.running")) seen += (await reader?.read())?.value ?? "";
  t.match(seen, /event: engine\.provisioned/);
  reading.abort();
});

t.test("an end user calls a follower, which cuts the stream of a revoked token within a second", async (t) => {
  const mint = async () =>
    (await second.platform(key, "/engines/anna/tokens", { method: "POST", body: {} })).body.token as string;
  const token = await mint();
  const headers = { authorization: `Bearer ${token}` };
  const me = (path: string) => ask(`${second.url}/me`, path, { headers });
  t.equal((await me("/tasks")).status, 200);
  t.match(await me("/assets/catalog"), { status: 403, body: { error: "INSUFFICIENT_SCOPE" } });
  t.match(await me(`/../e/${anna.id}/tasks`), { status: 404 });
  const stream = await openStream(`${second.url}/me`, "/execute/replay?follow=true", {
    headers: { ...headers, accept: "text/event-stream" },
  });
  t.equal(stream.status, 200);
  const turn = await openStream(`${second.url}/me`, "/execute", {
    headers,
    body: { task_id: "me", message: "/say hello" },
  });
  await turn.all();
  await stream.first("text_delta");
  const revoked = await second.platform(key, "/engines/anna/tokens/revoke", { method: "POST" });
  const at = performance.now();
  t.equal(revoked.status, 200);
  await until("the stream is cut", () => stream.ended);
  t.ok(performance.now() - at < 1000);
  t.match(await me("/tasks"), { status: 401, body: { error: "INVALID_TOKEN" } });
  const next = { authorization: `Bearer ${await mint()}` };
  t.equal((await ask(`${second.url}/me`, "/tasks", { headers: next })).status, 200);
});

t.test("a product's hook decides about a turn through a follower, which passes its policy on", async (t) => {
  const hook = await startHook(t);
  hook.answer = decides({ verdict: "deny", reason: "not through here" });
  const setPolicy = (policy: object) => second.admin("/products/acme/policy", { method: "PUT", body: policy });
  const tool_hook = { url: hook.url, tools: ["list_files"] };
  t.equal((await setPolicy({ private_hosts: [hook.host], tool_hook })).status, 200);
  const turn = { headers: anna.headers, body: { task_id: "hooked", message: "/tool list_files {}" } };
  const stream = await openStream(`${second.url}/e/${anna.id}`, "/execute", turn);
  t.match((await stream.first("tool_result")).data, { error: "the product denied this call: not through here" });
  await stream.all();
  t.match(hook.calls, [{ data: { user_id: "anna", tool: "list_files" } }], "it was asked once");
  await setPolicy({ tool_hook: null });
});

t.test("a frozen leader is replaced, and changes nothing once it thaws", async (t) => {
  const gateway = `${second.url}/e/${anna.id}`;
  const turn = { headers: anna.headers, body: { task_id: "long", message: "/ask Which? | red | blue" } };
  const stream = await openStream(gateway, "/execute", turn);
  const question = await stream.first("hitl_request");
  const before = await show(first);
  // The leader is frozen in the middle of an operation.
  const halfway = provision(second, "dora", { "idempotency-key": "halfway" });
  await until("it has begun", async () => (await events(first, "engine.provisioned")).length >= 4);
  first.process.kill("SIGSTOP");
  const frozenAt = performance.now();
  const held = second.platform(key, "/engines/anna/logs?tail=1");
  await until("the other one leads", async () => (await ask(second.url, "/ready")).body.role === "leader", TAKEOVER_MS);
  t.comment(`a frozen leader was replaced after ${Math.round(performance.now() - frozenAt)} ms`);
  t.match(await held, { status: 200 }, "a call that came meanwhile");
  t.match(await halfway.catch(() => ({ status: 0 })), { status: /^(0|201|409|502|503)$/ });
  t.match(await show(second), { pid: before.pid, incarnation: before.incarnation, state: "running" });
  const records = async () => (await second.admin("/admin/engines?limit=200")).body.data;
  const isSettled = ({ state }: { state: string }) => state === "running";
  await until("what was begun is undone or finished", async () => (await records()).every(isSettled));
  const settled = await records();

  first.process.kill("SIGCONT");
  await once(first.process, "exit");
  t.equal(first.process.exitCode, 1);
  t.match(first.output(), /took this host over/);
  const stable = (list: readonly Record<string, unknown>[]) =>
    list.map(({ id, state, pid, incarnation }) => ({ id, state, pid, incarnation }));
  t.same(stable(await records()), stable(settled), "no record changed");
  t.same((await second.admin("/admin/status")).body.orphans, [], "no process without a record");
  t.notOk(stream.ended, "a stream through the follower was not cut");
  const answer = { request_id: question.data["request_id"], answer: "red" };
  await ask(gateway, "/hitl/respond", { method: "POST", headers: anna.headers, body: answer });
  t.match((await stream.all()).at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  t.match(await events(second, "host.leader_changed"), [{ data: { leader: second.url, previous: first.url } }]);
});

t.test("a killed leader is replaced while streams go on", async (t) => {
  const third = await replicas.start();
  const gateway = `${third.url}/e/${anna.id}`;
  const turn = { headers: anna.headers, body: { task_id: "longer", message: "/ask Which? | red | blue" } };
  const stream = await openStream(gateway, "/execute", turn);
  const question = await stream.first("hitl_request");
  const before = await show(third);
  second.process.kill("SIGKILL");
  const shown = third.platform(key, "/engines/anna/stop", {
    method: "POST",
    body: {},
    headers: { "idempotency-key": "s" },
  });
  t.comment(`a killed leader was replaced after ${Math.round(await replicas.awaitLeader(TAKEOVER_MS))} ms`);
  t.notOk(stream.ended);
  const answer = { request_id: question.data["request_id"], answer: "red" };
  await ask(gateway, "/hitl/respond", { method: "POST", headers: anna.headers, body: answer });
  await stream.all();
  t.match(await shown, { status: 200 }, "a call with a key is repeated");
  t.match(before, { state: "running" });
});

t.test("a leader that is stopped hands over at once, and calls wait", async (t) => {
  const leader = await replicas.leader();
  const next = await replicas.start();
  const before = performance.now();
  const stopped = leader.stop();
  const answers = [];
  do answers.push(await next.platform(key, "/engines"));
  while ((await ask(next.url, "/ready")).body?.role !== "leader" && performance.now() - before < TAKEOVER_MS);
  t.comment(`handed over after ${Math.round(performance.now() - before)} ms, ${answers.length} calls meanwhile`);
  t.equal(await stopped, 0);
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
});
