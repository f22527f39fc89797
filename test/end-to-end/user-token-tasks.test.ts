import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { type Ask, ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const port = await freePort();
const base = `http://localhost:${port}`;
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: base } });
const alice = await fleet.provision("alice");
for (const task of ["course-7/a", "course-7/b", "private"])
  await alice.execute(task, `/say apple of ${task}`).then((stream) => stream.all());

const tokenOf = async (body: object) => (await alice.post("tokens", body)).body.token as string;
const me = (token: string, path: string, more: Ask = {}) =>
  ask(base, `/me${path}`, { ...more, headers: { authorization: `Bearer ${token}`, ...more.headers } });
const send = (token: string, path: string, body: object, method = "POST") => me(token, path, { method, body });
const idsOf = (items: readonly { readonly task_id: string }[]) => items.map(({ task_id: id }) => id).sort();
const OUTSIDE = { status: 403, body: { error: "INSUFFICIENT_SCOPE" } };
const course = await tokenOf({ tasks: { prefix: "course-7/" } });
const one = await tokenOf({ tasks: { ids: ["course-7/a"] } });
const privateTurn = (await alice.call("/turns?task_id=private")).body.items[0].turn_id as string;
const ownTurn = (await alice.call(`/turns?task_id=${encodeURIComponent("course-7/a")}`)).body.items[0]
  .turn_id as string;

t.test("a token for some tasks lists, finds, reads and continues these alone", async (t) => {
  t.same(idsOf((await me(course, "/tasks")).body.items), ["course-7/a", "course-7/b"]);
  t.same(idsOf((await me(one, "/tasks")).body.items), ["course-7/a"]);
  t.same(idsOf((await me(one, "/tasks?q=apple")).body.items), ["course-7/a"]);
  t.same(idsOf((await me(one, "/tasks?limit=1")).body.items), ["course-7/a"]);
  t.equal((await me(one, "/tasks/course-7%2Fa/messages")).status, 200);
  t.equal((await me(one, `/turns/${ownTurn}`)).status, 200);
  t.equal((await me(one, "/tasks/course-7%2Fa/artifacts")).status, 200);
  t.equal((await me(one, "/turns?task_id=course-7%2Fa")).status, 200);
  t.equal((await me(one, `/execute/replay?turn_id=${ownTurn}`)).body.events.length > 0, true);
  t.match(await send(one, "/execute", { task_id: "course-7/a", message: "/say more" }), { status: 200, text: /more/ });
  t.match(await send(course, "/execute", { task_id: "course-7/new", message: "/say new" }), { status: 200 });
  t.equal((await send(course, "/tasks/course-7%2Fa/fork", { task_id: "course-7/fork" })).status, 200);
  t.equal((await alice.post("tokens", { tasks: { ids: ["a"] } })).body.scope, "turns tasks:read tasks:write answers");
});

t.test("attack: another task by its id in the path, the query or the body", async (t) => {
  for (const [method, path] of [
    ["GET", "/tasks/private"],
    ["GET", "/tasks/private/"],
    ["GET", "/TASKS/private"],
    ["GET", "/tasks/%70rivate"],
    ["GET", "/tasks/private?task_id=course-7%2Fa"],
    ["GET", "/tasks/private/messages"],
    ["GET", "/tasks/private/inbox"],
    ["GET", "/tasks/private/artifacts"],
    ["GET", "/files"],
    ["DELETE", "/tasks/private"],
    ["DELETE", "/tasks/private/inbox/m1"],
    ["GET", "/tasks/course-7%2Fc"],
    ["GET", "/execute/replay"],
    ["GET", "/execute/replay?follow=true"],
    ["GET", "/execute/replay?task_id=private"],
    ["GET", "/execute/replay?task_id=course-7%2Fa&task_id=private"],
    ["GET", `/execute/replay?turn_id=${privateTurn}`],
    ["GET", "/execute/replay?turn_id=unknown"],
    ["GET", "/turns"],
    ["GET", `/turns?turn_id=${ownTurn}`],
    ["GET", "/turns?task_id=private"],
    ["GET", "/turns?task_id="],
  ] as const)
    t.match(await me(one, path, { method }), OUTSIDE, `${method} ${path}`);
  for (const [path, body, method] of [
    ["/execute", { task_id: "private", message: "/say x" }],
    ["/execute?task_id=course-7%2Fa", { task_id: "private", message: "/say x" }],
    ["/execute", { message: "/say x" }],
    ["/execute", { task_id: ["course-7/a"], message: "/say x" }],
    ["/execute", { task_id: "COURSE-7/A", message: "/say x" }],
    ["/execute/cancel", { task_id: "private", inbox: true }],
    ["/tasks/private/rewind", { to_message: "msg_1" }],
    ["/tasks/private/fork", { task_id: "course-7/a" }],
    ["/tasks/course-7%2Fa/fork", { task_id: "stolen" }],
    ["/tasks/course-7%2Fa/fork?task_id=course-7%2Fa", {}],
    ["/tasks/private", { title: "x" }, "PATCH"],
  ] as const)
    t.match(await send(one, path, body, method), OUTSIDE, `${path} ${JSON.stringify(body)}`);
  t.equal((await me(one, `/turns/${privateTurn}`)).status, 404);
  const replayed = await me(one, `/execute/replay?task_id=course-7%2Fa&turn_id=${privateTurn}`);
  t.same(replayed.body.events, [], "both hold");
});

t.test("attack: what all tasks share, and headers that would widen the token", async (t) => {
  for (const scope of ["memory:read", "memory:erase", "files:read", "turns files:write"])
    t.match(await alice.post("tokens", { scope, tasks: { ids: ["a"] } }), {
      status: 400,
      body: { error: { message: /^scope: expected no (memory|files)/ } },
    });
  const bound = Buffer.from(JSON.stringify({ prefix: "p" })).toString("base64url");
  for (const headers of [
    { "x-bound-engine-key": `${alice.key} ${bound}` },
    { "X-Engine-Key": alice.key },
    { "x-bound-engine-key": `sk-orch-none ${bound}`, connection: "x-bound-engine-key" },
  ]) {
    t.match(await me(one, "/tasks/private", { headers }), OUTSIDE);
    t.same(idsOf((await me(one, "/tasks", { headers })).body.items), ["course-7/a"]);
  }
  const wrong = { "x-bound-engine-key": "x" };
  t.equal((await ask(alice.url, "/tasks", { headers: { ...wrong, "x-engine-key": alice.key } })).status, 401);
});

t.test("bad bounds name the field", async (t) => {
  for (const tasks of [
    {},
    { ids: [] },
    { ids: ["a"], prefix: "b" },
    { prefix: "" },
    { ids: [""] },
    { ids: "a" },
    ["a"],
    { ids: Array.from({ length: 8 }, (_, at) => "x".repeat(200) + at) },
  ])
    t.match(
      await alice.post("tokens", { tasks }),
      { status: 400, body: { error: { message: /^tasks/ } } },
      JSON.stringify(tasks).slice(0, 40),
    );
});

t.test("attack: answers to another task's questions, and a stream of the list", async (t) => {
  const asking = await alice.execute("private", "/ask Which? | yes | no");
  t.teardown(() => asking.cut());
  await until("a question is open", async () => (await alice.call("/hitl/pending")).body.requests.length === 1);
  const [request] = (await alice.call("/hitl/pending")).body.requests;
  t.same((await me(one, "/hitl/pending")).body, { requests: [] });
  t.same((await me(one, "/tools/pending")).body, { calls: [] });
  const answer = { request_id: request.request_id, answer: "yes" };
  t.match(await send(one, "/hitl/respond", answer), { status: 404, body: { error: "HITL_NOT_FOUND" } });
  const unknown = { tool_call_id: "call_1", output: 1 };
  t.match(await send(one, "/tools/respond", unknown), { status: 404, body: { error: "NOT_FOUND" } });
  const list = await openStream(`${base}/me`, "/tasks?follow=true", {
    headers: { authorization: `Bearer ${one}`, accept: "text/event-stream" },
  });
  t.equal((await alice.call("/hitl/respond", answer)).status, 200);
  await asking.all();
  t.match(await send(one, "/execute", { task_id: "course-7/a", message: "/say seen" }), { status: 200 });
  await until("the list shows the task's change", () => list.frames.filter(({ event }) => event === "task").length > 1);
  t.notMatch(JSON.stringify(list.frames), "private");
  list.cut();
});

t.test("attack: turns that wait are collected, and answered all at once", async (t) => {
  await fleet.setPolicy({ user_concurrent_turns: 1 });
  const token = await tokenOf({});
  const headers = { authorization: `Bearer ${token}` };
  const open = (task_id: string, message: string) =>
    openStream(`${base}/me`, "/execute", { method: "POST", headers, body: { task_id, message } });
  const asking = await open("asks", "/ask Which? | yes | no");
  const question = await asking.first("hitl_request");
  const slow = await open("slow", "/slow 60000");
  t.equal(slow.status, 200, "one that waits does not count");
  const answer = { request_id: (question.data as { request_id: string }).request_id, answer: "yes" };
  t.match(await send(token, "/hitl/respond", answer), { status: 429, body: { error: "RATE_LIMITED" } });
  t.equal((await send(token, "/execute/cancel", { task_id: "slow" })).status, 200);
  await slow.all();
  t.equal((await send(token, "/hitl/respond", answer)).status, 200);
  await asking.all();
  t.equal((await send(token, "/hitl/respond", answer)).status, 200, "the same answer again");
});

t.test("attack: turns that start together while their attachments are stored", async (t) => {
  await fleet.setPolicy({ user_concurrent_turns: 1 });
  const token = await tokenOf({});
  const headers = { authorization: `Bearer ${token}` };
  const file = { type: "file", name: "a.txt", data: Buffer.from("a".repeat(10_000)).toString("base64") };
  const message = [{ type: "text", text: "/slow 60000" }, file];
  const streams = await Promise.all(
    [1, 2, 3, 4].map((n) =>
      openStream(`${base}/me`, "/execute", { method: "POST", headers, body: { task_id: `file-${n}`, message } }),
    ),
  );
  t.teardown(() => streams.forEach((stream) => stream.cut()));
  const statuses = streams.map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 200).length, 1);
  t.equal(statuses.filter((status) => status === 429).length, 3);
  for (const n of [1, 2, 3, 4]) await send(token, "/execute/cancel", { task_id: `file-${n}` });
  await until(
    "no turn runs",
    async () => (await send(token, "/execute", { task_id: "next", message: "/say x" })).status === 200,
  );
});

t.test("a user may run as many turns at once as the policy allows", async (t) => {
  await fleet.setPolicy({ user_concurrent_turns: 2 });
  const token = await tokenOf({});
  const headers = { authorization: `Bearer ${token}`, "x-turn-limit": "99" };
  const start = (task_id: string) =>
    openStream(`${base}/me`, "/execute", { method: "POST", headers, body: { task_id, message: "/slow 60000" } });
  const running = await Promise.all([start("s1"), start("s2")]);
  t.teardown(() => running.forEach((stream) => stream.cut()));
  const refused = await send(token, "/execute", { task_id: "s3", message: "/say x" });
  t.match(refused, { status: 429, body: { error: "RATE_LIMITED", details: { limit: 2 } } });
  t.match(refused.headers, { "retry-after": /^\d+$/ });
  // One that its client has left still runs.
  running[0]?.cut();
  await sleep(50);
  t.equal((await send(token, "/execute", { task_id: "s3", message: "/say x" })).status, 429);
  const queued = await send(token, "/execute", {
    task_id: "s2",
    message: "/say q",
    when_busy: "queue",
    message_id: "m",
  });
  t.equal(queued.status, 202, "a message for a running turn starts none");
  t.equal((await alice.execute("own", "/say by the key").then((stream) => stream.all())).length > 0, true);
  t.equal((await send(token, "/execute/cancel", { task_id: "s1" })).status, 200);
  await until("a turn may start", async () =>
    [200].includes((await send(token, "/execute", { task_id: "s4", message: "/say x" })).status),
  );
});
