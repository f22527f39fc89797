import t, { type Test } from "tap";
import { ask } from "../../helpers/api.ts";
import {
  KEY,
  type PartsOptions,
  calls,
  engineParts,
  scriptedProvider,
  servedParts,
} from "../../helpers/engine-parts.ts";
import { openStream } from "../../helpers/engine.ts";
import { Gate, gatedModel, shownIn } from "../../helpers/gated-model.ts";
import { until } from "../../helpers/until.ts";

const HEADERS = { "x-engine-key": KEY };

async function served(t: Test, options: PartsOptions = {}) {
  const gate = new Gate();
  const model = gatedModel(gate);
  const parts = engineParts(t, { ...model, ...options });
  t.teardown(() => gate.open());
  const url = await servedParts(t, parts);
  const call = (path: string, given: object = {}) => ask(url, path, { headers: HEADERS, ...given });
  const send = (message: string, more: object = {}, headers: object = { accept: "application/json" }) =>
    call("/execute", {
      method: "POST",
      body: { task_id: "t", message, when_busy: "queue", ...more },
      headers: { ...HEADERS, ...headers },
    });
  const stream = (body: object, query = "?events=message") =>
    openStream(url, `/execute${query}`, {
      headers: { ...HEADERS, accept: "text/event-stream" },
      body: { task_id: "t", ...body },
    });
  const idle = () => until("the task is idle", () => parts.slots.size === 0 && parts.inbox.list("t").length === 0);
  return { ...model, gate, parts, url, call, send, stream, idle };
}

const held = (gate: Gate) => until("the gate is waited for", () => gate.waiting > 0);

t.test("a queued message waits for a turn of its own, and its stream is open from the start", async (t) => {
  const { requests, gate, send, stream, idle } = await served(t);
  const running = await stream({ message: "model one" });
  await held(gate);
  const two = { message_id: "m2" };
  t.match(await send("two", two), { status: 202, body: { message_id: "m2", position: 1, turn_id: null } });
  t.match(await send("two", two), { status: 202, body: { position: 1 } }, "the same again is the same message");
  t.match(await send("other", two), { status: 409, body: { error: "IDEMPOTENCY_CONFLICT" } });
  t.match(await send("three", { message_id: "m3" }), { status: 202, body: { position: 2 } });
  t.match(await send("no", { when_busy: "reject" }), { status: 409, body: { error: "TASK_BUSY" } });
  const waiting = await stream({ message: "two", when_busy: "queue", ...two });
  t.equal(waiting.headers["x-message-id"], "m2");
  gate.open();
  const events = await waiting.all();
  t.match(events.slice(0, 2), [
    { event: "thread_lifecycle", data: { phase: "started" } },
    { event: "message_taken", data: { message_id: "m2", how: "turn" } },
  ]);
  t.match(events.at(-1)?.data, { phase: "completed" });
  await idle();
  t.same(shownIn(requests[2]), ["model one", "assistant", "two", "assistant", "three"]);
  const [taken] = events;
  t.match(await send("two", two), { status: 202, body: { position: 0, turn_id: taken?.data.turn_id } });
  t.match(
    (await running.all()).filter(({ event }) => event.startsWith("message_")).map(({ data }) => data.message_id),
    ["m2", "m3"],
    "the reader of the turn sees what waits behind it",
  );
});

t.test("a reader that does not ask for it sees nothing new", async (t) => {
  const { gate, send, stream } = await served(t);
  const running = await stream({ message: "tool" }, "");
  await held(gate);
  await send("steered", { when_busy: "steer" });
  gate.open();
  t.notMatch(
    (await running.all()).map(({ event }) => event),
    [/message_/],
  );
});

t.test("a steered message enters after the tool results and before the next model call", async (t) => {
  const { requests, gate, parts, send, stream, idle } = await served(t);
  const running = await stream({ message: "tool" });
  await held(gate);
  await send("later", { message_id: "q" });
  await send("first", { when_busy: "steer", message_id: "s1", agent: "default", max_steps: 1 });
  await send("second", { when_busy: "steer", message_id: "s2" });
  const reader = await stream({
    message: "first",
    when_busy: "steer",
    message_id: "s1",
    agent: "default",
    max_steps: 1,
  });
  gate.open();
  const events = await running.all();
  await idle();
  t.same(shownIn(requests[1]), ["tool", "assistant", "tool", "first", "second"]);
  t.match(
    events.filter(({ event }) => event === "message_taken").map(({ data }) => data),
    [
      { message_id: "s1", how: "steer" },
      { message_id: "s2", how: "steer" },
    ],
  );
  t.match((await reader.all())[0], { event: "message_taken", data: { message_id: "s1" } }, "from there on");
  const turns = new Set(parts.messages.ofTask("t").map(({ turnId }) => turnId));
  t.equal(turns.size, 2, "the queued one got a turn of its own");
});

t.test("a steered message whose turn ends first becomes a turn", async (t) => {
  const { requests, gate, send, stream, idle } = await served(t);
  await stream({ message: "model one" });
  await held(gate);
  await send("steered", { when_busy: "steer", message_id: "s" });
  gate.open();
  await idle();
  t.same(shownIn(requests[1]), ["model one", "assistant", "steered"]);
});

t.test("an interrupt cuts the answer, keeps what was said, and goes on in the same turn", async (t) => {
  const { requests, gate, parts, send, stream, idle } = await served(t);
  const running = await stream({ message: "model one" });
  await held(gate);
  await send("stop that", { when_busy: "steer", interrupt: true });
  const events = await running.all();
  await idle();
  t.match(requests[1]?.messages, [
    { role: "user", text: "model one" },
    { role: "assistant", content: [{ kind: "text", text: "well, " }] },
    { role: "user", text: "stop that" },
  ]);
  const shown = events.map(({ event }) => event);
  t.match(shown.slice(0, 6), [
    "thread_lifecycle",
    "content_block_start",
    "text_delta",
    "message_queued",
    "content_block_stop",
    "message_taken",
  ]);
  t.match(events.at(-1)?.data, { phase: "completed" });
  t.equal(new Set(parts.messages.ofTask("t").map(({ turnId }) => turnId)).size, 1);
  t.equal(gate.waiting, 0);
});

t.test("a call of an interrupted answer has a result, and does not run", async (t) => {
  const provider = scriptedProvider(async function* (_request, signal) {
    yield* calls(["c1", "wait", {}])().slice(0, -1);
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    yield { kind: "failed", failure: { kind: "aborted" }, usage: null };
  });
  const { parts, send, stream, idle } = await served(t, { provider });
  const running = await stream({ message: "go" });
  await running.first("tool_call");
  await send("no", { when_busy: "steer", interrupt: true });
  const result = (await running.all()).find(({ event }) => event === "tool_result");
  await idle();
  t.match(result?.data, { tool_call_id: "c1", error: /interrupted/ });
  t.match(provider.requests[1]?.messages, [
    { role: "user" },
    { role: "assistant", content: [{ kind: "tool_use", id: "c1" }] },
    { role: "tool", results: [{ id: "c1", isError: true }] },
    { role: "user", text: "no" },
  ]);
  t.equal(parts.messages.ofTask("t").length, 5);
});

t.test("what waits is listed, changed and removed until a turn takes it", async (t) => {
  const { requests, gate, call, send, stream, idle } = await served(t);
  await stream({ message: "model one" });
  await held(gate);
  for (const id of ["a", "b", "c"]) await send(`message ${id}`, { message_id: id });
  const removedReader = await stream({ message: "message b", when_busy: "queue", message_id: "b" });
  const path = (id: string) => `/tasks/t/inbox/${id}`;
  t.match(await call(path("a"), { method: "PATCH", body: { message: "better a" } }), {
    status: 200,
    body: { message_id: "a", position: 1, text: "better a", agent: "default" },
  });
  t.match(await call(path("b"), { method: "DELETE" }), { status: 200, body: { message_id: "b" } });
  t.match(await call(path("b"), { method: "DELETE" }), { status: 200 }, "repeated");
  t.match((await removedReader.all()).at(-1), { event: "error", data: { error: "MESSAGE_REMOVED", task_id: "t" } });
  t.match(await call("/tasks/t/inbox"), {
    body: { messages: [{ text: "better a" }, { text: "message c", position: 2 }] },
  });
  gate.open();
  await idle();
  t.same(shownIn(requests.at(-1)), ["model one", "assistant", "better a", "assistant", "message c"]);
  for (const [method, body] of [
    ["PATCH", { message: "x" }],
    ["DELETE", undefined],
  ] as const)
    t.match(await call(path("a"), { method, body }), { status: 409, body: { error: "MESSAGE_TAKEN" } });
});

t.test("a cancel ends the turn and not the queue, unless it empties it", async (t) => {
  const { requests, gate, parts, call, send, stream, idle } = await served(t);
  const first = await stream({ message: "model one" });
  await held(gate);
  await send("model two", { message_id: "m2" });
  await send("three", { message_id: "m3" });
  const cancel = (more: object = {}) => call("/execute/cancel", { method: "POST", body: { task_id: "t", ...more } });
  t.same((await cancel()).body, { cancelled: true });
  t.match((await first.all()).at(-1)?.data, { error: "CANCELLED" });
  await until("the next runs", () => requests.length === 2);
  t.same((await cancel({ inbox: true })).body, { cancelled: true, removed: 1 });
  await idle();
  t.equal(requests.length, 2);
  t.equal(parts.messages.ofTask("t").filter(({ role }) => role === "user").length, 2);
});

t.test("behind a question, a queued message waits and a steered one answers nothing", async (t) => {
  const { requests, parts, call, send, stream, idle } = await served(t);
  const running = await stream({ message: "ask" });
  const { data } = await running.first("hitl_request");
  await send("queued");
  await send("steered", { when_busy: "steer", interrupt: true });
  t.equal(parts.humanRequests.pending().length, 1, "the question stays open");
  t.equal(requests.length, 1);
  await call("/hitl/respond", { method: "POST", body: { request_id: data.request_id, answer: "so" } });
  await idle();
  t.same(shownIn(requests[1]), ["ask", "assistant", "tool", "steered"]);
  t.same(shownIn(requests[2])?.at(-1), "queued");
});

t.test("what refuses a turn lets messages wait, and its end starts them", async (t) => {
  const spent = { message: "spent", details: { budget: "engine.tokens_per_day", retry_after: 3600 } };
  const refusing = { now: false };
  const { requests, gate, parts, send, stream, idle } = await served(t, {
    refusal: () => (refusing.now ? spent : null),
  });
  const start = async (message: string) => {
    await stream({ message });
    await until("it runs", () => requests.at(-1)?.messages.at(-1)?.role === "user");
  };
  await start("model one");
  await send("two");
  parts.suspension.set("drain");
  t.match(await send("no"), { status: 403, body: { error: "POLICY_DENIED" } });
  gate.open();
  await until("the turn is over", () => parts.slots.size === 0);
  t.equal(requests.length, 1, "no turn starts");
  parts.suspension.set(null);
  parts.intake.startWaiting();
  await idle();
  t.equal(requests.length, 2);
  await stream({ message: "ask" });
  const [question] = await until("it asks", () => {
    const open = parts.humanRequests.pending();
    return open.length > 0 ? open : null;
  });
  await send("four");
  refusing.now = true;
  t.match(await send("no"), { status: 429, body: { error: "BUDGET_EXCEEDED" } });
  parts.humanRequests.answer(question?.request_id ?? "", "so");
  await until("the turn is over", () => parts.slots.size === 0);
  t.equal(parts.inbox.list("t").length, 1, "it waits for the budget");
  refusing.now = false;
  const hold = parts.runner.pause();
  parts.intake.startWaiting();
  t.equal(parts.inbox.list("t").length, 1, "it waits for an erasure");
  t.match(await send("no"), { status: 503, body: { error: "ENGINE_DRAINING" } });
  if (hold.kind === "paused") hold.dispose();
  await send("five");
  await idle();
  t.same(shownIn(requests.at(-1)).slice(-3), ["four", "assistant", "five"], "what waits comes first");
});

t.test("a draining engine keeps what waits for its next start", async (t) => {
  const { gate, parts, send, stream } = await served(t);
  await stream({ message: "model one" });
  await held(gate);
  parts.runner.drain();
  t.match(await send("two"), { status: 202 });
  t.match(await send("other", { task_id: "idle" }), { status: 503, body: { error: "ENGINE_DRAINING" } });
  gate.open();
  await until("the turn is over", () => parts.slots.size === 0);
  t.equal(parts.inbox.list("t").length, 1);
});

t.test("a client that leaves takes its waiting message along if it wants to", async (t) => {
  const { gate, parts, send, stream } = await served(t);
  await stream({ message: "model one" });
  await held(gate);
  t.match(await send("no", { on_disconnect: "cancel" }), { status: 400, body: { message: /^on_disconnect/ } });
  const waiting = await stream({ message: "two", when_busy: "queue", on_disconnect: "cancel" });
  t.equal(parts.inbox.list("t").length, 1);
  waiting.cut();
  await until("it is removed", () => parts.inbox.list("t").length === 0);
});

t.test("erased conversations end the streams that wait", async (t) => {
  const { gate, parts, call, stream } = await served(t, { refusal: () => null });
  const running = await stream({ message: "model one" });
  await held(gate);
  const waiting = await stream({ message: "two", when_busy: "queue" });
  parts.suspension.set("drain");
  gate.open();
  await running.all();
  t.match(await call("/memory", { method: "DELETE" }), { status: 200, body: { erased: { inbox: 1 } } });
  t.same(await waiting.all(), []);
});

t.test("without JSON in Accept, a message that starts at once is a stream and one that waits is not", async (t) => {
  const { gate, send } = await served(t);
  const started = await send("hello", {}, {});
  t.match(started, { status: 200, headers: { "content-type": /event-stream/ } });
  void send("model one", {}, {}).catch(() => undefined);
  await held(gate);
  t.match(await send("two", {}, {}), { status: 202, headers: { "content-type": /json/ } });
});
