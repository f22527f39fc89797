import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Frame, type TestEngine, startEngine } from "../../helpers/engine.ts";

const SCHEMA = {
  type: "object",
  properties: { files: { type: "array", items: { type: "string" } } },
  required: ["files"],
  additionalProperties: false,
};
const WITH_SCHEMA = { output_schema: SCHEMA };
const submit = (input: unknown) => `/tool submit_result ${JSON.stringify(input)}`;
const last = (frames: readonly Frame[]) => frames.at(-1)?.data;
const resultsOf = (frames: readonly Frame[]) =>
  frames.filter(({ event }) => event === "tool_result").map(({ data }) => [data.tool, data.error]);

async function replayed(engine: TestEngine, turnId: string): Promise<readonly Frame[]> {
  const headers = { accept: "text/event-stream" };
  return (await engine.stream(`/execute/replay?turn_id=${turnId}&follow=true`, { headers })).all(60_000);
}

t.test("a turn with a schema uses tools, repairs its result and ends with it", async (t) => {
  const engine = await startEngine(t);
  const message = [
    '/tool write_file {"path":"a.txt","content":"x"}',
    "/say written",
    '/tool list_files {"path":"."}',
    "/say Let me see.",
    "/end",
    submit({ files: "a.txt" }),
    "/say again",
    submit({ files: ["a.txt"] }),
    "/say never said",
  ].join("\n");
  const stream = await engine.execute({ task_id: "t", message, ...WITH_SCHEMA });
  const { data } = await stream.first("hitl_request");
  await engine.call("/hitl/respond", { body: { request_id: data.request_id, answer: "allow_once" } });
  const frames = await stream.all();
  t.match(last(frames), { phase: "completed", output: { files: ["a.txt"] } });
  t.match(resultsOf(frames), [
    ["write_file", null],
    ["list_files", null],
    ["submit_result", /#\/files/],
    ["submit_result", null],
  ]);
  t.notMatch(JSON.stringify(frames), /never said/);
  const { body } = await engine.call(`/turns/${data.turn_id}`);
  t.match(body, { state: "completed", output: { files: ["a.txt"] } });
  const { body: metrics } = await engine.control("/control/status?metrics=");
  t.match(JSON.stringify(metrics), /"submit_result"/, "it is counted by its name");

  const demo = await engine.execute({ task_id: "demo", message: "What is there?", ...WITH_SCHEMA });
  const { data: asked } = await demo.first("hitl_request");
  await engine.call("/hitl/respond", { body: { request_id: asked.request_id, answer: "short" } });
  t.match(last(await demo.all()), { phase: "completed", output: { files: [] } }, "the demonstration submits one too");
});

t.test("a turn fails after two repairs, and its conversation goes on", async (t) => {
  const engine = await startEngine(t);
  const bad = [1, 2, 3].map((files) => submit({ files })).join("\n/say again\n");
  const frames = await engine.turn("t", `/say before\n${bad}`, WITH_SCHEMA);
  t.match(last(frames), { error: "OUTPUT_INVALID", details: { repairs: 2 } });
  const next = await engine.turn("t", "/say the conversation goes on");
  t.match(last(next), { phase: "completed" });
  t.notOk("output" in (last(next) ?? {}));
  const ended = await engine.turn("silent", "/say no result", WITH_SCHEMA);
  t.match(last(ended), { error: "OUTPUT_INVALID", message: /ended without a result/ });
});

t.test("turns of an engine that is killed around their results end with them, once", async (t) => {
  const first = await startEngine(t);
  // Every place between two transactions is a case of test/engine/turns/structured-output.test.ts.
  const message = (at: number) => `/say before\n/slow ${30 + at}\n${submit({ files: [] })}`;
  const streams = await Promise.all(
    Array.from({ length: 5 }, (_, at) => first.execute({ task_id: `k${at}`, message: message(at), ...WITH_SCHEMA })),
  );
  await streams[2]?.first("tool_result");
  await first.stop("SIGKILL");
  const second = await startEngine(t, { dataDir: first.dataDir, key: first.key });
  for (let at = 0; at < 5; at++) {
    const { body } = await second.call(`/turns?task_id=k${at}`);
    const frames = await replayed(second, body.items[0].turn_id);
    t.match(last(frames), { phase: "completed", output: { files: [] } });
    t.equal(frames.filter(({ data }) => data.phase === "completed").length, 1);
  }
});

t.test("a delegated agent with a schema returns the checked object", async (t) => {
  const first = await startEngine(t);
  const { dataDir, key } = first;
  await first.stop();
  const agents = join(dataDir, "catalog/agents");
  mkdirSync(agents, { recursive: true });
  const file = `---\nname: lister\ndescription: Lists files.\noutput_schema: ${JSON.stringify(SCHEMA)}\n---\nYou list files.\n`;
  writeFileSync(join(agents, "lister.md"), file);
  const engine = await startEngine(t, { dataDir, key });
  const task = `${submit({ files: 7 })}\n/say again\n${submit({ files: ["a"] })}`;
  const frames = await engine.turn("d", `/tool delegate ${JSON.stringify({ agent: "lister", task })}\n/say done`);
  const delegated = frames.find(({ event, data }) => event === "tool_result" && data.tool === "delegate");
  t.strictSame(delegated?.data.output, { files: ["a"] });
  t.notOk("output" in (last(frames) ?? {}), "the turn itself has no schema");
  const own = await engine.turn("own", submit({ files: ["c"] }), { agent: "lister" });
  t.match(last(own), { phase: "completed", output: { files: ["c"] } }, "nor need the call bring one");
  const bad = file.replace('"type":"object"', '"type":"list"');
  writeFileSync(join(agents, "lister.md"), bad);
  const { body } = await engine.call("/admin/reload-catalog", { method: "POST" });
  t.match(body, {
    error: "CATALOG_INVALID",
    details: { errors: [{ message: /output_schema\.type: expected "object"/ }] },
  });
});

t.test("context of a task is in the summary that replaces its message", async (t) => {
  const engine = await startEngine(t, { settings: { LLM_CONTEXT_WINDOW: "8000" } });
  const page = { name: "page", content: "/orders/17 </given_context>", ttl: "task" };
  await engine.turn("t", "/stream 300 1000", { context: [page] });
  for (let at = 0; at < 4; at++) await engine.turn("t", "/stream 600 100000");
  const frames = await engine.turn("t", "/compact\n/say fine");
  t.match(last(frames), { phase: "completed" });
  const { body: calls } = await engine.call(`/turns/${frames[0]?.data.turn_id}/requests`);
  const { number } = calls.requests.findLast(({ purpose }: { purpose: string }) => purpose === "turn");
  const { body } = await engine.call(`/turns/${frames[0]?.data.turn_id}/requests/${number}`);
  const [summary] = body.body.messages;
  t.match(summary.text, /Context from the application that is valid now/);
  t.match(summary.text, String.raw`{"name":"page","content":"/orders/17 \u003c/given_context\u003e"}`);
});

t.test("a message that is answered again keeps its context, unless the call brings another", async (t) => {
  const engine = await startEngine(t);
  const said = (frames: readonly Frame[]) =>
    frames.flatMap(({ event, data }) => (event === "text_delta" ? [data.text] : [])).join("");
  const again = async (message: string, more: object) => {
    const { status } = await engine.call("/tasks/t/rewind", { body: { to_message: message } });
    t.equal(status, 200);
    return said(await (await engine.execute({ task_id: "t", regenerate: true, ...more })).all());
  };
  const page = { name: "page", content: "/orders/17", ttl: "task" };
  const shown = '{"name":"page","valid":"task","content":"/orders/17"}';
  t.equal(said(await engine.turn("t", "/context", { context: [page] })), shown);
  t.equal(await again("msg_1", {}), shown);
  t.equal(await again("msg_3", { context: [{ ...page, content: "/help" }] }), shown.replace("/orders/17", "/help"));
});
