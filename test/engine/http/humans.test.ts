import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type TestEngine, startEngine } from "../../helpers/engine.ts";

const write = (path: string) => `/tool write_file {"path":"${path}","content":"hello"}`;
const respond = (engine: TestEngine, requestId: string, answer: string) =>
  engine.call("/hitl/respond", { body: { request_id: requestId, answer } });

t.test("a question holds the turn until a person answers", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "ask", message: "/ask Which one? | left | right\n/say thanks" });
  const { data: asked } = await stream.first("hitl_request");
  t.match(asked, {
    request_id: /^hitl-/,
    kind: "question",
    question: "Which one?",
    options: ["left", "right"],
    context: { allow_free_text: false },
  });
  const pending = await engine.call("/hitl/pending");
  t.match(pending.body.requests, [{ request_id: asked.request_id, task_id: "ask", turn_id: asked.turn_id }]);
  t.match((await engine.call("/health")).body, { active_turns: 1, pending_hitl: 1, streams: 1 });

  const refused = await respond(engine, asked.request_id, "up");
  t.equal(refused.status, 400, "an answer that is not an option is refused");
  t.match(refused.body, { error: "INVALID_REQUEST", details: { options: ["left", "right"] } });
  t.equal(stream.frames.at(-1)?.event, "hitl_request", "nothing went on");

  t.match(await respond(engine, asked.request_id, "left"), {
    status: 200,
    body: { request_id: asked.request_id, status: "resolved" },
  });
  const frames = await stream.all();
  const order = frames.map(({ event }) => event);
  t.ok(order.indexOf("hitl_resolved") < order.indexOf("tool_result"));
  t.match(frames.find(({ event }) => event === "hitl_resolved")?.data, { answer: "left" });
  t.match(frames.find(({ event }) => event === "tool_result")?.data, { output: { answer: "left" }, error: null });
  t.equal((await respond(engine, asked.request_id, "left")).status, 200, "a repeated equal answer succeeds");
  t.match(await respond(engine, asked.request_id, "right"), { status: 409, body: { error: "HITL_ALREADY_ANSWERED" } });
  t.same((await engine.call("/hitl/pending")).body, { requests: [] });
});

t.test("a question without options takes any words", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "free", message: "/ask What is your name?" });
  const { data } = await stream.first("hitl_request");
  t.equal(data.context.allow_free_text, true);
  await respond(engine, data.request_id, "Ada Lovelace");
  t.match((await stream.all()).find(({ event }) => event === "tool_result")?.data, {
    output: { answer: "Ada Lovelace" },
  });
});

t.test("permissions of a whole batch are asked one by one before any of its tools runs", async (t) => {
  const engine = await startEngine(t);
  const message = [write("a.txt"), '/tool list_files {"path":"."}', write("b.txt"), write("c.txt"), "/say done"].join(
    "\n",
  );
  const stream = await engine.execute({ task_id: "batch", message });
  for (const [path, answer] of [
    ["a.txt", "allow_once"],
    ["b.txt", "deny"],
    ["c.txt", "allow_once"],
  ] as const) {
    const { data } = await stream.first("hitl_request", ({ question }) => question.includes(path));
    t.equal((await engine.call("/hitl/pending")).body.requests.length, 1, "one is open at a time");
    t.notOk(
      stream.frames.some(({ event }) => event === "tool_result"),
      "no tool has run",
    );
    t.match(data, { kind: "permission", options: ["allow_once", "allow_task", "allow_always", "deny"] });
    await respond(engine, data.request_id, answer);
  }
  const frames = await stream.all();
  const results = frames.filter(({ event }) => event === "tool_result").map(({ data }) => data);
  const calls = frames.filter(({ event }) => event === "tool_call").map(({ data }) => data.tool_call_id);
  t.strictSame(new Set(results.map(({ tool_call_id: id }) => id)), new Set(calls), "each call has one result");
  t.equal(results.length, calls.length);
  t.equal(results.filter(({ error }) => error !== null).length, 1);
  t.equal(readFileSync(join(engine.dataDir, "workspace/a.txt"), "utf8"), "hello");
  t.notOk(existsSync(join(engine.dataDir, "workspace/b.txt")), "the denied call did not write the file");

  const again = await engine.execute({ task_id: "batch", message: write("a.txt") });
  const { data } = await again.first("hitl_request");
  await respond(engine, data.request_id, "allow_task");
  await again.all();
  const third = await engine.turn("batch", write("a.txt"));
  t.notOk(
    third.some(({ event }) => event === "hitl_request"),
    "a grant for the task asks no more in it",
  );
  const elsewhere = await engine.execute({ task_id: "another", message: write("a.txt") });
  t.ok(await elsewhere.first("hitl_request"), "but in other tasks");
});

t.test("a turn cancelled while a person is asked closes its question and its call", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "never", message: "/ask Well? | yes" });
  const { data } = await stream.first("hitl_request");
  await engine.call("/execute/cancel", { body: { task_id: "never" } });
  const frames = await stream.all();
  t.strictSame(
    frames.slice(-4).map(({ event }) => event),
    ["hitl_resolved", "tool_result", "thread_lifecycle", "error"],
  );
  t.match(await respond(engine, data.request_id, "yes"), { status: 409 });
  t.match((await engine.turn("never", "/say fine")).at(-1)?.data, { phase: "completed" });
});
