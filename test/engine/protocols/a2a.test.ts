import { Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { SCOPES_HEADER } from "../../../src/contract/engine/headers.ts";
import { BOUND_KEY_HEADER, writeBoundKey } from "../../../src/contract/engine/task-bounds.ts";
import { type Ask, ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";
import { png } from "../../helpers/sample-files.ts";
import { until } from "../../helpers/until.ts";
import { answerOf, clientOf, data, message, part, text } from "./parts/a2a-client.ts";

const engine = await startEngine(t);
const client = await clientOf(engine);

const send = async (...given: Parameters<typeof message>): Promise<Task> => {
  const task = await client.sendMessage(message(...given));
  if (!("status" in task)) throw new Error("the agent answered with a message");
  return task;
};
const get = (id: string) => client.getTask({ tenant: "", id });
const cancel = (id: string) => client.cancelTask({ tenant: "", id, metadata: undefined });
const rpc = (method: unknown, params: unknown, headers: Ask["headers"] = { authorization: `Bearer ${engine.key}` }) =>
  ask(engine.url, "/a2a", { method: "POST", headers, body: { jsonrpc: "2.0", id: 7, method, params } });
const raw = (more: object = {}) => ({
  message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "/say x" }], ...more },
});

async function collect(events: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse[]> {
  const seen: StreamResponse[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** The answer as a client joins it. */
function joined(events: readonly StreamResponse[]): string {
  let answer = "";
  for (const { payload } of events) {
    if (payload?.$case === "task") answer = answerOf(payload.value);
    if (payload?.$case !== "artifactUpdate" || payload.value.artifact?.artifactId !== "answer") continue;
    const piece = payload.value.artifact.parts.map(({ content }) => String(content?.value)).join("");
    answer = payload.value.append ? answer + piece : piece;
  }
  return answer;
}

t.test("a client finds the agent by its card, and a blocking message returns the finished task", async (t) => {
  const card = await client.getAgentCard();
  t.match(card, { name: "default", skills: [{ id: "default" }], supportedInterfaces: [{ url: `${engine.url}/a2a` }] });
  t.equal((await ask(engine.url, "/.well-known/agent-card.json")).status, 401);
  const task = await send("/say hello\n/tool list_files {}\n/say done");
  t.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
  t.equal(answerOf(task), "hello\n\ndone");
  t.match(task, {
    metadata: { usage: { input_tokens: Number } },
    history: [{ role: Role.ROLE_USER, taskId: task.id }],
  });
  t.same(await get(task.id), task);
  t.same((await client.getTask({ tenant: "", id: task.id, historyLength: 0 })).history, []);
});

t.test("a stream begins with the task, and ends with its last status", async (t) => {
  const events = await collect(client.sendMessageStream(message("/say hello\n/stream 30 500\n/say there")));
  t.equal(events[0]?.payload?.$case, "task");
  const last = events.at(-1)?.payload;
  t.match(last, { $case: "statusUpdate", value: { status: { state: TaskState.TASK_STATE_COMPLETED } } });
  t.match(joined(events), /^hello\n\nword0 .*word29 \n\nthere$/);
});

t.test("a question makes the task wait, and the next message with its id answers", async (t) => {
  const asked = await send("/say before\n/ask Which? | A | B\n/say after");
  t.match(asked.status, {
    state: TaskState.TASK_STATE_INPUT_REQUIRED,
    message: { role: Role.ROLE_AGENT, parts: [{ content: { value: "Which?\nOptions: A, B" } }, {}] },
  });
  const { id: taskId, contextId } = asked;
  await t.rejects(send("C", { taskId, contextId }), { message: /expected one of A, B/ });
  const done = await send("B", { taskId, contextId });
  t.equal(done.id, asked.id);
  t.equal(done.status?.state, TaskState.TASK_STATE_COMPLETED);
  t.equal(answerOf(done), "before\n\nafter");
  t.same(
    done.history.map(({ role }) => role),
    [Role.ROLE_USER, Role.ROLE_AGENT, Role.ROLE_USER],
  );
  await t.rejects(send("more", { taskId, contextId }), { message: /the task has ended/ });
});

t.test("a message with only the context answers what the context waits for", async (t) => {
  const { id, contextId } = await send("/ask Which? | A | B\n/say after");
  const done = await send("A", { contextId });
  t.match(done, { id, status: { state: TaskState.TASK_STATE_COMPLETED } });
  const next = await send("/say next", { contextId });
  t.not(next.id, id);
  t.equal(next.contextId, contextId);
});

t.test("a permission prompt and a tool of the client are answered by data", async (t) => {
  const dataOf = ({ status }: Task) =>
    status?.message?.parts.flatMap(({ content }) => (content?.$case === "data" ? content.value : [])) ?? [];
  const client_tools = [{ name: "look", description: "Looks", input_schema: { type: "object" } }];
  const script = '/tool write_file {"path": "a.txt", "content": "x"}\n/say then\n/tool look {"at": 1}\n/say done';
  const prompt = await send(script, { metadata: { client_tools } });
  const [permission] = dataOf(prompt);
  t.match(permission, { kind: "permission", options: ["allow_once", "allow_task", "allow_always", "deny"] });
  const { id: taskId } = prompt;
  const look = await send([data({ request_id: permission.request_id, answer: "allow_once" })], { taskId });
  const [call] = dataOf(look);
  t.match(call, { tool: "look", input: { at: 1 } });
  await t.rejects(send("a text", { taskId }), { message: /tool_call_id/ });
  const result = data({ tool_call_id: call.tool_call_id, output: { seen: 1 } });
  t.match(await send([result], { taskId }), { status: { state: TaskState.TASK_STATE_COMPLETED } });
  t.equal((await engine.call("/files/content?path=a.txt")).text, "x");
});

t.test("a message that is sent again, also as an answer, does nothing twice", async (t) => {
  const first = message("/say one\n/ask Which? | A | B\n/say two");
  const [a, b] = (await Promise.all([client.sendMessage(first), client.sendMessage(first)])) as [Task, Task];
  t.equal(a.id, b.id);
  t.equal(a.contextId, b.contextId);
  const answer = message("B", { taskId: a.id });
  const [done, again] = (await Promise.all([client.sendMessage(answer), client.sendMessage(answer)])) as [Task, Task];
  t.equal(answerOf(done), "one\n\ntwo");
  t.equal(answerOf(again), "one\n\ntwo");
  t.equal((await engine.call(`/tasks/${a.contextId}/messages`)).body.items.length, 2);
});

t.test("a task is sent, followed, steered and cancelled while it works", async (t) => {
  const started = await send("/stream 1000 200", {}, config({ returnImmediately: true }));
  t.equal(started.status?.state, TaskState.TASK_STATE_WORKING);
  const followed = collect(client.resubscribeTask({ tenant: "", id: started.id }));
  const steering = client.sendMessage(message("/say steered", { taskId: started.id }));
  await until("the message entered the inbox", async () => {
    const { body } = await engine.call(`/tasks/${started.contextId}/inbox`);
    return body.messages.length === 1;
  });
  t.match(await cancel(started.id), { status: { state: TaskState.TASK_STATE_CANCELED } });
  const events = await followed;
  t.match(events.at(-1)?.payload, { value: { status: { state: TaskState.TASK_STATE_CANCELED } } });
  await steering;
  await t.rejects(cancel(started.id), { name: /TaskNotCancelable/ });
  await t.rejects(collect(client.resubscribeTask({ tenant: "", id: started.id })), /GetTask returns it/);
});

t.test("tasks are listed by context and state, page by page", async (t) => {
  const contextId = "listed";
  const ids = [];
  for (const script of ["/say 1", "/fail provider", "/say 3"]) ids.push((await send(script, { contextId })).id);
  const list = (more: object) =>
    client.listTasks({ tenant: "", contextId, status: 0, pageToken: "", statusTimestampAfter: undefined, ...more });
  const first = await list({ pageSize: 2, includeArtifacts: true });
  t.match(first, { totalSize: 3, pageSize: 2, tasks: [{ id: ids[2], artifacts: [{}] }, { id: ids[1] }] });
  t.match(await list({ pageSize: 2, pageToken: first.nextPageToken }), {
    nextPageToken: "",
    tasks: [{ id: ids[0], artifacts: [] }],
  });
  t.match(await list({ status: TaskState.TASK_STATE_FAILED }), { totalSize: 1, tasks: [{ id: ids[1] }] });
  t.match(await list({ statusTimestampAfter: "2999-01-01T00:00:00Z" }), { totalSize: 0, tasks: [] });
});

t.test("files come in as parts, and go out as artifacts", async (t) => {
  const picture = part({ $case: "raw", value: png(4, 4) }, { filename: "dot.png", mediaType: "image/png" });
  const seen = await send([text("/attachments"), picture, data({ order: 17 })]);
  t.match(answerOf(seen), /dot\.png/);
  await engine.call("/files/content?path=report.txt", { method: "PUT", body: "a report" });
  const events = await collect(
    client.sendMessageStream(message('/tool publish_file {"path": "report.txt", "title": "A report"}\n/say done')),
  );
  const published = events.flatMap(({ payload }) =>
    payload?.$case === "artifactUpdate" && payload.value.artifact?.name === "report.txt" ? payload.value.artifact : [],
  );
  t.match(published, [{ description: "A report", parts: [{ filename: "report.txt", mediaType: "text/plain" }] }]);
  const address = String(published[0]?.parts[0]?.content?.value);
  t.equal(await (await fetch(address, { headers: { "x-engine-key": engine.key } })).text(), "a report");
  await t.rejects(send([part({ $case: "url", value: "http://127.0.0.1/" })]), { name: /ContentTypeNotSupported/ });
});

t.test("a structured output is an artifact", async (t) => {
  const output_schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
  const task = await send('/tool submit_result {"answer": "42"}', { metadata: { output_schema } });
  t.match(task.artifacts, [{ artifactId: "output", parts: [{ content: { $case: "data", value: { answer: "42" } } }] }]);
});

t.test("what the agent has not is refused in the protocol's words", async (t) => {
  const push = { id: "", taskId: "t", url: "http://x", token: "", authentication: undefined, tenant: "" };
  await t.rejects(async () => client.createTaskPushNotificationConfig(push), { name: /PushNotificationNotSupported/ });
  await t.rejects(get("turn_nobody"), { name: /TaskNotFound/ });
  const cases: readonly (readonly [unknown, unknown, number])[] = [
    ["CreateTaskPushNotificationConfig", {}, -32003],
    ["SendMessage", { ...raw(), configuration: { taskPushNotificationConfig: { url: "http://x" } } }, -32003],
    ["message/send", raw(), -32009],
    ["Nothing", {}, -32601],
    ["toString", {}, -32601],
    [3, {}, -32602],
    ["SendMessage", {}, -32602],
    ["SendMessage", raw({ parts: [] }), -32602],
    ["SendMessage", raw({ parts: [{}] }), -32602],
    ["SendMessage", raw({ role: "ROLE_AGENT" }), -32602],
    ["SendMessage", raw({ messageId: "m".repeat(10_000) }), -32602],
    ["SendMessage", raw({ contextId: "c".repeat(10_000) }), -32602],
    ["SendMessage", raw({ metadata: { skill: "nobody" } }), -32001],
    ["SendStreamingMessage", raw({ parts: [{ text: "" }] }), -32602],
    ["GetTask", { id: "turn_nobody" }, -32001],
    ["GetTask", { id: "x", historyLength: -1 }, -32602],
    ["ListTasks", { pageSize: 1000 }, -32602],
    ["ListTasks", { pageToken: "nowhere" }, -32602],
    ["SubscribeToTask", { id: "turn_nobody" }, -32001],
    ["CancelTask", { id: "turn_nobody" }, -32001],
  ];
  for (const [method, params, code] of cases) {
    const answer = await rpc(method, params);
    t.match(
      answer,
      { status: 200, body: { jsonrpc: "2.0", id: 7, error: { code, message: String } } },
      `${String(method)} ${answer.text}`,
    );
  }
  const version = await rpc("GetTask", { id: "x" }, { authorization: `Bearer ${engine.key}`, "a2a-version": "0.3" });
  t.match(version.body.error, {
    code: -32009,
    data: [{ reason: "VERSION_NOT_SUPPORTED", domain: "a2a-protocol.org" }],
  });
  const broken = await ask(engine.url, "/a2a", {
    method: "POST",
    headers: { authorization: `Bearer ${engine.key}` },
    body: "{",
  });
  t.match(broken, { status: 400, body: { jsonrpc: "2.0", id: null, error: { code: -32602 } } });
});

t.test("a key or token that is bound reaches no more by A2A", async (t) => {
  const { id, contextId } = await send("/say mine");
  const bound = { [BOUND_KEY_HEADER]: writeBoundKey(engine.key, { ids: ["only"] }) };
  t.match((await rpc("SendMessage", raw({ contextId: "only" }), bound)).body, {
    result: { task: { contextId: "only" } },
  });
  for (const [method, params] of [
    ["GetTask", { id }],
    ["CancelTask", { id }],
    ["SubscribeToTask", { id }],
    ["SendMessage", raw({ taskId: id })],
  ] as const)
    t.match((await rpc(method, params, bound)).body.error, { code: -32001 }, method);
  for (const [method, params] of [
    ["SendMessage", raw({ contextId })],
    ["SendMessage", raw()],
    ["ListTasks", { contextId }],
    ["ListTasks", {}],
  ] as const)
    t.match((await rpc(method, params, bound)).body.error, { code: 403 }, method);
  const scoped = { "x-engine-key": engine.key, [SCOPES_HEADER]: "turns" };
  const { body } = await rpc("SendMessage", raw(), scoped);
  t.match(body.result.task, { status: { state: "TASK_STATE_COMPLETED" } });
  t.notOk("history" in body.result.task);
  t.match(await rpc("GetTask", { id }, {}), { status: 401, body: { error: { code: 401 } } });
});

t.test("after kill -9, a task goes on, and an answer that was cut off comes once", async (t) => {
  const killed = await startEngine(t);
  const before = await clientOf(killed);
  const sent = message(
    "/say kept\n/tool list_files {}\n/stream 200 100\n/say end",
    {},
    config({ returnImmediately: true }),
  );
  const { id } = (await before.sendMessage(sent)) as Task;
  await until("the second answer streams", async () =>
    /word20 /.test(answerOf(await before.getTask({ tenant: "", id }))),
  );
  await killed.stop("SIGKILL");
  const { dataDir, key } = killed;
  const after = await clientOf(await startEngine(t, { dataDir, key }));
  const events = await collect(after.resubscribeTask({ tenant: "", id }));
  const stream = Array.from({ length: 200 }, (_, index) => `word${index} `).join("");
  t.equal(joined(events), `kept\n\n${stream}\n\nend`);
  t.equal(answerOf(await after.getTask({ tenant: "", id })), `kept\n\n${stream}\n\nend`);
  t.equal(((await after.sendMessage(sent)) as Task).id, id);
});

function config(more: { readonly returnImmediately: boolean }) {
  return { acceptedOutputModes: [], taskPushNotificationConfig: undefined, ...more };
}
