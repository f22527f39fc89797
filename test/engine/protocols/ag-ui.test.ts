import { buildResumeArray } from "@ag-ui/client";
import t from "tap";
import { BOUND_KEY_HEADER, writeBoundKey } from "../../../src/contract/engine/task-bounds.ts";
import { SCOPES_HEADER } from "../../../src/contract/engine/headers.ts";
import { type Ask, ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";
import { png } from "../../helpers/sample-files.ts";
import { until } from "../../helpers/until.ts";
import { agentOf } from "./parts/ag-ui-agent.ts";

const engine = await startEngine(t);
const tools = [{ name: "look", description: "Looks at the page", parameters: { type: "object" } }];
const run = (body: unknown, headers: Ask["headers"] = { authorization: `Bearer ${engine.key}` }) =>
  ask(engine.url, "/ag-ui", { method: "POST", headers, body });
const said = (content: unknown, more: object = {}) => ({
  threadId: "hostile",
  runId: "r",
  messages: [{ id: crypto.randomUUID(), role: "user", content }],
  ...more,
});
const answers = (agent: ReturnType<typeof agentOf>["agent"], payload: unknown) =>
  buildResumeArray(
    agent.pendingInterrupts,
    Object.fromEntries(agent.pendingInterrupts.map(({ id }) => [id, { status: "resolved" as const, payload }])),
  );
const deltas = (events: readonly { type: string; delta?: string }[]) =>
  events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta);

t.test("a run streams reasoning, text and calls in an order that the client accepts", async (t) => {
  const { agent, events, say, last } = agentOf(engine, "order");
  say("/think hm\n/say hello\n/tool list_files {}\n/say done");
  const { newMessages } = await agent.runAgent({ runId: "r1", forwardedProps: { thinking: true } });
  t.match(
    newMessages.map(({ role, content }) => [role, content]),
    [
      ["reasoning", "hm"],
      ["assistant", "hello"],
      ["tool", /./],
      ["assistant", "done"],
    ],
  );
  t.match(newMessages[1], { toolCalls: [{ function: { name: "list_files", arguments: "{}" } }] });
  t.match(events[0], { type: "RUN_STARTED", threadId: "order", runId: "r1", protocolVersion: "1.0" });
  t.match(last(), { type: "RUN_FINISHED", outcome: { type: "success" }, usage: [{ inputTokens: Number }] });
  t.match(agent.state, { orchd: { task_id: "order", usage: { input_tokens: Number } } });
});

t.test("a question interrupts the run, and a resumed run goes on after it", async (t) => {
  const { agent, events, say } = agentOf(engine, "question");
  say("/say before\n/ask Which? | A | B\n/say after");
  await agent.runAgent();
  t.match(agent.pendingInterrupts, [
    { reason: "input_required", message: "Which?", metadata: { options: ["A", "B"] } },
  ]);
  const resume = answers(agent, { answer: "B" });
  const count = events.length;
  const { newMessages } = await agent.runAgent({ resume });
  t.same(deltas(events.slice(count)), ["after"]);
  t.match(
    newMessages.map(({ role }) => role),
    ["tool", "assistant"],
  );
  t.same(agent.pendingInterrupts, []);
});

t.test("a cancelled question cancels the turn", async (t) => {
  const { agent, say, last } = agentOf(engine, "dismissed");
  say("/ask Which? | A | B");
  await agent.runAgent();
  const [asked] = agent.pendingInterrupts;
  await agent.runAgent({ resume: [{ interruptId: asked?.id ?? "", status: "cancelled" }] });
  t.match(last(), { type: "RUN_FINISHED", outcome: { type: "cancelled" } });
});

t.test("a permission prompt takes an approval", async (t) => {
  for (const [approved, error] of [
    [true, undefined],
    [false, String],
  ] as const) {
    const { agent, events, say } = agentOf(engine, `permission-${approved}`);
    say('/tool write_file {"path": "a.txt", "content": "x"}');
    await agent.runAgent();
    t.match(agent.pendingInterrupts, [{ reason: "tool_call", metadata: { kind: "permission" } }]);
    await agent.runAgent({ resume: answers(agent, { approved }) });
    const result = events.find(({ type }) => type === "TOOL_CALL_RESULT");
    t.match(result.metadata?.error, error);
    t.equal(agent.state.orchd.files["a.txt"], approved ? "created" : undefined);
  }
});

t.test("the client runs tools of its own, several at once", async (t) => {
  const client = agentOf(engine, "tools");
  const { agent, events, last } = client;
  client.say('/tool look {"at":1}\n/tool look {"at":2}\n/tool list_files {}\n/say done');
  await agent.runAgent({ tools });
  const pending: readonly string[] = last().outcome.pendingToolCallIds;
  t.equal(pending.length, 2);
  for (const id of pending) client.result(id, { output: { seen: id } });
  const count = events.length;
  await agent.runAgent({ tools });
  t.match(last(), { type: "RUN_FINISHED", outcome: { type: "success" } });
  t.same(deltas(events.slice(count)), ["done"]);
  const ids = agent.messages.filter(({ role }) => role === "tool").map(({ id }) => id);
  t.equal(new Set(ids).size, ids.length);
  t.equal(ids.length, 3);
});

t.test("the same messages again attach to the turn that they began", async (t) => {
  const first = agentOf(engine, "again");
  const id = first.say("/say one\n/stream 20 200\n/say two");
  const running = first.agent.runAgent({ runId: "r1" });
  await until("the run streams", () => deltas(first.events).length > 2);
  const second = agentOf(engine, "again");
  second.say("/say one\n/stream 20 200\n/say two", id);
  await Promise.all([
    running,
    second.agent.runAgent({ runId: "r1", context: [{ description: "now", value: "later" }] }),
  ]);
  t.equal(deltas(second.events).join(""), deltas(first.events).join(""));
  t.equal((await engine.call("/turns?task_id=again")).body.items.length, 1);
});

t.test("a client without messages gets the conversation, and what goes on in it", async (t) => {
  const { agent, say } = agentOf(engine, "stored");
  say("/say hello\n/tool list_files {}\n/say there");
  await agent.runAgent();
  say("/ask Which? | A | B\n/say end");
  await agent.runAgent();
  const other = agentOf(engine, "stored");
  await other.agent.runAgent();
  const shown = ({ messages }: typeof agent) => messages.map(({ role, content }) => [role, content]);
  t.same(shown(other.agent), shown(agent));
  t.match(other.agent.pendingInterrupts, [{ message: "Which?" }]);
  await other.agent.runAgent({ resume: answers(other.agent, "A") });
  t.same(deltas(other.events).at(-1), "end");
  const third = agentOf(engine, "stored");
  await third.agent.runAgent();
  t.match(third.last(), { type: "RUN_FINISHED", outcome: { type: "success" } });
  const empty = agentOf(engine, "nothing yet");
  await empty.agent.runAgent();
  t.same(empty.agent.messages, []);
});

t.test("images and context reach the model, and images of tools the client", async (t) => {
  const { agent, say, events } = agentOf(engine, "files");
  const value = png(4, 4).toString("base64");
  say([
    { type: "text", text: "/attachments\n/context" },
    { type: "image", source: { type: "data", value, mimeType: "image/png" }, metadata: { filename: "dot.png" } },
  ]);
  agent.state = { page: "/orders" };
  const long = "A description that is too long for the name of an item of context of a turn";
  await agent.runAgent({
    context: [
      { description: "selection", value: "Order 17" },
      { description: long, value: "x" },
    ],
  });
  t.match(deltas(events).join(""), /dot\.png/);
  t.match(deltas(events).join(""), /selection.*Order 17[\s\S]*too long[\s\S]*state.*orders/);
  t.match(agent.state, { page: "/orders", orchd: { task_id: "files" } });
  const stored = agentOf(engine, "files");
  await stored.agent.runAgent();
  const [, image] = (stored.agent.messages[0]?.content ?? []) as object[];
  t.match(image, { type: "image", source: { type: "file", provider: "orchd" } });
  stored.say([{ type: "text", text: "/attachments" }, image as object]);
  await stored.agent.runAgent();
  t.match(deltas(stored.events).join(""), /dot\.png/);
});

t.test("a sub-agent's calls are its own", async (t) => {
  const { agent, say, events } = agentOf(engine, "delegated");
  const task = "/tool current_time {}\\n/say found";
  say(`/tool delegate {"agent": "researcher", "task": "${task}"}\n/say done`);
  await agent.runAgent();
  const started = events.find(({ type }) => type === "SUBAGENT_STARTED");
  t.match(started, { name: "researcher", parentToolCallId: String });
  const { subagentRunId } = started;
  t.match(
    events.find(({ toolCallName }) => toolCallName === "current_time"),
    { subagentRunId },
  );
  t.match(
    events.find(({ type }) => type === "SUBAGENT_FINISHED"),
    { subagentRunId, outcome: { type: "success" } },
  );
  t.same(deltas(events), ["done"]);
});

t.test("a turn that fails or is cancelled ends the run so", async (t) => {
  const failed = agentOf(engine, "failed");
  failed.say("/fail mid-stream");
  await failed.agent.runAgent().catch(() => undefined);
  t.match(failed.last(), { type: "RUN_ERROR", code: "LLM_PROVIDER_ERROR" });
  const left = agentOf(engine, "left");
  left.say("/say hello\n/fail silent");
  const running = left.agent.runAgent({ forwardedProps: { on_disconnect: "cancel" } }).catch(() => undefined);
  await until("the run streams", () => deltas(left.events).length > 0);
  left.agent.abortRun();
  await running;
  await until(
    "the turn is cancelled",
    async () => (await engine.call("/turns?task_id=left")).body.items[0].error === "CANCELLED",
  );
});

t.test("a structured output is the run's result", async (t) => {
  const { agent, say } = agentOf(engine, "output");
  say('/tool submit_result {"answer": "42"}');
  const output_schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
  const { result } = await agent.runAgent({ forwardedProps: { output_schema } });
  t.same(result, { answer: "42" });
});

t.test("what is wrong is refused by the name of its field", async (t) => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ threadId: "t", runId: "r", messages: [{ id: "m", role: "nobody" }] }, /^messages\.0\.role: /],
    [{ threadId: "", runId: "r", messages: [] }, /^threadId: /],
    [{ threadId: "t", messages: [] }, /^runId: required/],
    [{ threadId: "t", runId: "r" }, /^messages: required/],
    [said("x", { runId: "r".repeat(10_000) }), /^runId: /],
    [said(""), /message: /],
    [
      said([{ type: "image", source: { type: "url", value: "http://127.0.0.1/" } }]),
      /^messages\.0\.content: .*no addresses/,
    ],
    [said([{ type: "sound" }]), /^messages\.0\.content/],
    [said("x", { tools: [{ name: "read_file", description: "" }] }), /client_tools/],
    [said("x", { tools: Array.from({ length: 65 }, (_, index) => ({ name: `t${index}` })) }), /^tools: /],
    [said("x", { context: [{ description: "big", value: "x".repeat(20_000) }] }), /context: /],
    [said("x", { forwardedProps: { model: 3 } }), /^model: /],
    [said("x", { forwardedProps: { agent: "nobody" } }), /^agent: /],
    [said("x", { resume: [{ interruptId: "hitl-x", status: "maybe" }] }), /^resume\.0\.status: /],
    [
      { threadId: "never", runId: "r", messages: [], resume: [{ interruptId: "hitl-x", status: "cancelled" }] },
      /^threadId: /,
    ],
  ];
  for (const [body, message] of cases) {
    const { status, body: refused } = await run(body);
    t.match(refused, { type: "RUN_ERROR", code: String, message }, JSON.stringify(refused));
    t.ok(status === 400 || status === 404, `${status}`);
  }
  const deep = `{"threadId":"t","runId":"r","messages":[],"state":${"[".repeat(5000)}${"]".repeat(5000)}}`;
  t.match(await run(deep), { status: 400, body: { type: "RUN_ERROR", code: "INVALID_REQUEST" } });
  t.match(await run("{"), { status: 400, body: { type: "RUN_ERROR", code: "INVALID_REQUEST" } });
});

t.test("an answer to a question of another thread is refused", async (t) => {
  const { agent, say } = agentOf(engine, "mine");
  say("/ask Which? | A | B");
  await agent.runAgent();
  await run(said("/say x", { threadId: "other" }));
  const [asked] = agent.pendingInterrupts;
  const resume = [{ interruptId: asked?.id, status: "resolved", payload: "A" }];
  const refused = await run({ threadId: "other", runId: "r", messages: [], resume });
  t.match(refused, { status: 404, body: { code: "HITL_NOT_FOUND", message: /^resume\.0\.interruptId: / } });
  t.equal(
    (await engine.call("/hitl/pending")).body.requests.filter(({ task_id: id }: { task_id: string }) => id === "mine")
      .length,
    1,
  );
});

t.test("a key or token that is bound reaches no more by AG-UI", async (t) => {
  const bound = { [BOUND_KEY_HEADER]: writeBoundKey(engine.key, { ids: ["mine-alone"] }) };
  t.equal((await run(said("/say x", { threadId: "mine-alone" }), bound)).status, 200);
  for (const body of [said("/say x", { threadId: "order" }), { threadId: "order", runId: "r", messages: [] }])
    t.match(await run(body, bound), { status: 403, body: { type: "RUN_ERROR", code: "INSUFFICIENT_SCOPE" } });
  const scoped = { "x-engine-key": engine.key, [SCOPES_HEADER]: "turns" };
  t.equal((await run(said("/say x", { threadId: "scoped" }), scoped)).status, 200);
  t.match(await run({ threadId: "order", runId: "r", messages: [] }, scoped), {
    status: 403,
    body: { metadata: { details: { scope: "tasks:read" } } },
  });
  t.match(await run(said("x"), {}), { status: 401, body: { type: "RUN_ERROR", code: "INVALID_ENGINE_KEY" } });
});

t.test("after kill -9, the client gets the rest, and an answer that was cut off once", async (t) => {
  const killed = await startEngine(t);
  const first = agentOf(killed, "killed");
  const text = "/say kept\n/tool list_files {}\n/stream 200 100\n/say end";
  const id = first.say(text);
  const running = first.agent.runAgent().catch((error: unknown) => error);
  await until("the second answer streams", () => deltas(first.events).length > 20);
  // Otherwise the client rejects a promise that nobody can catch.
  first.agent.abortRun();
  await running;
  await killed.stop("SIGKILL");
  const { dataDir, key } = killed;
  const engine = await startEngine(t, { dataDir, key });
  const second = agentOf(engine, "killed");
  second.say(text, id);
  await second.agent.runAgent();
  t.ok(second.events.some(({ type }) => type === "MESSAGES_SNAPSHOT"));
  const texts = second.agent.messages.filter(({ role, content }) => role === "assistant" && content !== undefined);
  const stream = Array.from({ length: 200 }, (_, index) => `word${index} `).join("");
  t.same(
    texts.map(({ content }) => content),
    ["kept", stream, "end"],
  );
  t.match(second.agent.messages[0], { id, role: "user" });
});
