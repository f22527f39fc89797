import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { ENGINE_EXITS } from "../../../src/contract/engine/exit.ts";
import { type TestEngine, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";

const OBJECT = { type: "object" };
const LOOK = { name: "look", description: "Looks", input_schema: OBJECT };
const PICK = {
  name: "pick",
  description: "Picks",
  input_schema: { type: "object", properties: { n: { type: "integer" } } },
  output_schema: { type: "object", properties: { picked: { type: "integer" } }, required: ["picked"] },
};
const TWO = { message: '/tool look {"at":"it"}\n/tool pick {"n":2}\n/say done', client_tools: [LOOK, PICK] };

const again = (t: Test, engine: TestEngine) => startEngine(t, { dataDir: engine.dataDir, key: engine.key });
const respond = (engine: TestEngine, body: object) => engine.call("/tools/respond", { body });
const pending = async (engine: TestEngine) => (await engine.call("/tools/pending")).body.calls;

async function opened(engine: TestEngine, taskId: string) {
  const stream = await engine.execute({ task_id: taskId, ...TWO });
  const { data: look } = await stream.first("tool_call", ({ tool }) => tool === "look");
  const { data: pick } = await stream.first("tool_call", ({ tool }) => tool === "pick");
  t.match(
    [look, pick],
    [
      { runs: "client", input: { at: "it" } },
      { runs: "client", input: { n: 2 } },
    ],
  );
  return { stream, turnId: look.turn_id, look: look.tool_call_id, pick: pick.tool_call_id };
}

const replayed = async (engine: TestEngine, turnId: string) => {
  const path = `/execute/replay?turn_id=${turnId}&follow=true`;
  return (await engine.stream(path, { headers: { accept: "text/event-stream" } })).all();
};

/** Sleeps as soon as nothing keeps it awake. */
async function fallsAsleep(engine: TestEngine): Promise<void> {
  const exited = once(engine.process, "exit");
  await until("the engine falls asleep", async () => {
    const { status } = await engine.control("/control/sleep", { method: "POST", body: { idle_ms: 0 } });
    return status === 200;
  });
  t.same(await exited, [ENGINE_EXITS.slept.code, null]);
}

t.test("two open calls are answered in reverse order, after kill -9 and after sleep", async (t) => {
  const first = await startEngine(t);
  const { stream, turnId, look, pick } = await opened(first, "two");
  t.match((await first.call(`/turns/${turnId}`)).body, { state: "waiting_for_human" });
  stream.cut();
  await first.stop("SIGKILL");

  const second = await again(t, first);
  t.match(await pending(second), [
    { tool_call_id: look, tool: "look", input: { at: "it" }, task_id: "two", turn_id: turnId },
    { tool_call_id: pick, tool: "pick" },
  ]);
  const refused = await respond(second, { tool_call_id: pick, output: { picked: "two" } });
  t.match(refused, { status: 400, body: { error: "INVALID_REQUEST", message: /^output\.picked: / } });
  t.match(await respond(second, { tool_call_id: pick, output: { picked: 2 } }), { status: 200 });
  await fallsAsleep(second);

  const third = await again(t, first);
  t.match(await pending(third), [{ tool_call_id: look }]);
  t.match(await respond(third, { tool_call_id: pick, output: { picked: 2 } }), { status: 200 }, "the same again");
  t.match(await respond(third, { tool_call_id: pick, output: { picked: 3 } }), { status: 409 });
  await respond(third, { tool_call_id: look, error: "the window is closed" });
  const frames = await replayed(third, turnId);
  const of = (type: string) => frames.filter(({ event }) => event === type).map(({ data }) => data);
  t.match(of("tool_call"), [{ tool_call_id: look }, { tool_call_id: pick }], "each call is announced once");
  t.match(
    new Map(of("tool_result").map(({ tool_call_id, output, error }) => [tool_call_id, [output, error]])),
    new Map([
      [pick, [{ picked: 2 }, null]],
      [look, [null, "the window is closed"]],
    ]),
  );
  t.match(frames.at(-1)?.data, { phase: "completed" });
  t.same(await pending(third), []);
});

t.test("a turn cancelled meanwhile closes its calls, and one without an answer goes on", async (t) => {
  const engine = await startEngine(t, { settings: { ENGINE_HITL_TTL_S: "1" } });
  const { stream, look, pick } = await opened(engine, "cancelled");
  await engine.call("/execute/cancel", { body: { task_id: "cancelled" } });
  t.match((await stream.all()).at(-1), { event: "error", data: { error: "CANCELLED" } });
  for (const id of [look, pick])
    t.match(await respond(engine, { tool_call_id: id, output: {} }), { body: { error: "TOOL_ALREADY_ANSWERED" } });
  const late = await opened(engine, "late");
  const frames = await late.stream.all();
  const results = frames.filter(({ event }) => event === "tool_result").map(({ data }) => data.error);
  t.same(
    results,
    Array.from({ length: 2 }, () => "the client did not answer in time"),
  );
  t.match(frames.at(-1)?.data, { phase: "completed" });
});

t.test("a message steered meanwhile is read after the answers, and one that waits brings its own tools", async (t) => {
  const engine = await startEngine(t);
  const { stream, look, pick } = await opened(engine, "steered");
  const send = (more: object) =>
    engine.call("/execute", { body: { task_id: "steered", ...more }, headers: { accept: "application/json" } });
  const queued = { message: "/tool later {}\n/say later", when_busy: "queue" };
  const later = { ...LOOK, name: "later" };
  t.match(await send({ ...queued, client_tools: [{ ...LOOK, name: "plan" }] }), { status: 400 });
  t.match(await send({ ...queued, client_tools: [later] }), { status: 202 });
  t.match(await send({ message: "/say steered", when_busy: "steer" }), { status: 202 });
  t.equal((await pending(engine)).length, 2, "the message answers no call");
  await respond(engine, { tool_call_id: pick, output: { picked: 2 } });
  await respond(engine, { tool_call_id: look, output: null });
  const text = (await stream.all()).flatMap(({ event, data }) => (event === "text_delta" ? [data.text] : [])).join("");
  t.match(text, /steered/);
  const [call] = await until("the next turn calls its tool", async () => {
    const calls = await pending(engine);
    return calls.length === 1 && calls;
  });
  t.match(call, { tool: "later", task_id: "steered" });
  await respond(engine, { tool_call_id: call.tool_call_id, output: "done" });
  const { body } = await engine.call(`/turns/${call.turn_id}`);
  await until("it ends", async () => (await engine.call(`/turns/${body.turn_id}`)).body.state === "completed");
});

t.test("a turn with a schema calls tools of the client, over kill -9, and ends with its result once", async (t) => {
  const first = await startEngine(t);
  const output_schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const message =
    '/tool pick {"n":2}\n/say picked\n/tool submit_result {"n":"two"}\n/say again\n/tool submit_result {"n":2}';
  const taken = { ...LOOK, name: "submit_result" };
  t.match(await first.call("/execute", { body: { task_id: "both", message, output_schema, client_tools: [taken] } }), {
    status: 400,
    body: { message: /^client_tools\.0\.name: / },
  });
  const stream = await first.execute({ task_id: "both", message, output_schema, client_tools: [PICK] });
  const { data: call } = await stream.first("tool_call");
  t.match(call, { tool: "pick", runs: "client" });
  stream.cut();
  await first.stop("SIGKILL");
  const second = await again(t, first);
  t.match(await pending(second), [{ tool_call_id: call.tool_call_id }]);
  await respond(second, { tool_call_id: call.tool_call_id, output: { picked: 2 } });
  const frames = await replayed(second, call.turn_id);
  t.match(frames.at(-1)?.data, { phase: "completed", output: { n: 2 } });
  t.match(
    frames.filter(({ event }) => event === "tool_result").map(({ data }) => [data.tool, data.error]),
    [
      ["pick", null],
      ["submit_result", /#\/n/],
      ["submit_result", null],
    ],
  );
  t.same(
    frames.flatMap(({ event, data }) => (event === "tool_call" && data.runs === "client" ? [data.tool] : [])),
    ["pick"],
    "the result is no call of the client",
  );
});

t.test("tools of a call are checked, each fault named by its field", async (t) => {
  const dataDir = freshFolder(t);
  mkdirSync(join(dataDir, "catalog/tools"), { recursive: true });
  const declared = { description: "Of the catalog", runs: "client", parameters: OBJECT };
  writeFileSync(join(dataDir, "catalog/tools/declared.json"), JSON.stringify(declared));
  const engine = await startEngine(t, { dataDir });
  const refused = async (client_tools: unknown, message: RegExp) =>
    t.match(await engine.call("/execute", { body: { task_id: "x", message: "/say x", client_tools } }), {
      status: 400,
      body: { error: "INVALID_REQUEST", message },
    });
  await refused([{ ...LOOK, name: "read_file" }], /^client_tools\.0\.name: read_file is a built-in tool/);
  await refused([LOOK, { ...LOOK, name: "declared" }], /^client_tools\.1\.name: declared is .* the catalog/);
  await refused([LOOK, LOOK], /^client_tools\.1\.name: look is there twice/);
  await refused([{ ...LOOK, name: "mcp__x__y" }], /^client_tools\.0\.name: expected up to 64/);
  await refused([{ ...LOOK, input_schema: { type: "string" } }], /^client_tools\.0\.input_schema: expected .*"object"/);
  await refused(
    [{ ...LOOK, input_schema: { type: "object", $ref: "#/no" } }],
    /^client_tools\.0\.input_schema: .*\$ref/,
  );
  await refused([{ ...LOOK, output_schema: { x: "x".repeat(40_000) } }], /^client_tools\.0\.output_schema: .*32 KiB/);
  await refused(
    Array.from({ length: 65 }, (_, at) => ({ ...LOOK, name: `t${at}` })),
    /^client_tools: .*64 items/,
  );
  const large = { type: "object", description: "x".repeat(30_000) };
  const many = Array.from({ length: 9 }, (_, at) => ({ ...LOOK, name: `t${at}`, input_schema: large }));
  await refused(many, /^client_tools: .*256 KiB/);

  const stream = await engine.execute({ task_id: "declared", message: "/tool declared {}\n/say done" });
  const { data } = await stream.first("tool_call");
  t.match(data, { tool: "declared", runs: "client" }, "a tool of the catalog that the client runs needs no field");
  t.match(await respond(engine, { tool_call_id: data.tool_call_id, output: null }), { status: 200 });
  t.match((await stream.all()).at(-1)?.data, { phase: "completed" });
});
