import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import t from "tap";
import { BOUND_KEY_HEADER, writeBoundKey } from "../../../src/contract/engine/task-bounds.ts";
import { SCOPES_HEADER } from "../../../src/contract/engine/headers.ts";
import { ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { png } from "../../helpers/sample-files.ts";
import { until } from "../../helpers/until.ts";

const dataDir = freshFolder(t, "engine");
let engine = await startEngine(t, { dataDir });
const { key } = engine;
const clientOf = (headers: Readonly<Record<string, string>> = {}) =>
  new OpenAI({ apiKey: key, baseURL: `${engine.url}/v1`, maxRetries: 0, defaultHeaders: headers });
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
const turnsOf = async (taskId: string) => (await engine.call(`/turns?task_id=${taskId}`)).body.items;
async function killAndStart(meanwhile: () => void = () => undefined): Promise<void> {
  await engine.stop("SIGKILL");
  meanwhile();
  engine = await startEngine(t, { dataDir, key });
}

t.test("a response that was begun before a kill is read to its end after it, with the same numbers", async (t) => {
  const input = "/say Before\n/stream 400 200\n/ask Go on? | yes | no\n/say After";
  const started = await clientOf().responses.create({ model: "default", input, background: true });
  const seen: ResponseStreamEvent[] = [];
  const first = await clientOf().responses.retrieve(started.id, { stream: true });
  const reading = (async () => {
    for await (const event of first) {
      seen.push(event);
      if (seen.length === 40) await killAndStart();
    }
  })();
  await failureOf(reading);
  const after = seen.at(-1)?.sequence_number ?? 0;
  const rest: ResponseStreamEvent[] = [];
  for await (const event of await clientOf().responses.retrieve(started.id, { stream: true, starting_after: after }))
    rest.push(event);
  t.ok(rest.every((event) => event.sequence_number > after));
  const end = rest.at(-1);
  if (end?.type !== "response.completed") throw new Error(`ended with ${end?.type}`);
  const text = end.response.output.flatMap((item) => (item.type === "message" ? item.content : []));
  t.match(
    text.map((part) => (part.type === "output_text" ? part.text : "")).join("|"),
    /^Before\|word0 .*word399 \|Go on\?/,
  );
  await killAndStart();
  const answered = await clientOf().responses.create({
    model: "default",
    input: "yes",
    previous_response_id: started.id,
  });
  t.equal(answered.output_text, "After");
});

t.test("a response whose events are kept no longer has the texts of its task", async (t) => {
  const { id, output_text: text } = await clientOf().responses.create({
    model: "default",
    input: "/say A\n/tool list_files {}\n/say B",
  });
  await killAndStart(() => {
    const store = new DatabaseSync(join(dataDir, "engine.db"));
    store.exec("delete from events");
    store.close();
  });
  t.match(await clientOf().responses.retrieve(id), { id, status: "completed", output_text: text });
});

t.test("a message to a task with a turn gets 409, and a file reaches the model", async (t) => {
  const client = clientOf({ "X-Task-Id": "busy%20task" });
  const [model, user] = ["default", "user"] as const;
  const stream = await client.chat.completions.create({
    model,
    messages: [{ role: user, content: "/fail silent" }],
    stream: true,
  });
  const second = client.chat.completions.create({ model, messages: [{ role: user, content: "hi" }] });
  t.match(await failureOf(second), { status: 409, code: "task_busy" });
  t.match(await turnsOf("busy%20task"), [{ task_id: "busy task" }]);
  stream.controller.abort();
  const url = `data:image/png;base64,${png(8, 8).toString("base64")}`;
  const parts = [{ type: "text", text: "/attachments" } as const, { type: "image_url", image_url: { url } } as const];
  const chat = await clientOf().chat.completions.create({ model, messages: [{ role: user, content: parts }] });
  t.match(chat.choices[0]?.message.content, /image\/png/);
  const content = [
    { type: "input_text", text: "/attachments" } as const,
    { type: "input_image", image_url: url, detail: "auto" } as const,
  ];
  const response = await clientOf().responses.create({ model, input: [{ role: user, content }] });
  t.match(response.output_text, /image\/png/);
});

t.test("a call that its client repeats does not run a second turn", async (t) => {
  const messages = [{ role: "user", content: "/say once" }] as const;
  const { response } = await clientOf()
    .chat.completions.create({ model: "default", messages: [...messages] })
    .withResponse();
  const taskId = response.headers.get("x-task-id") ?? "";
  const again = clientOf({ "X-Stainless-Retry-Count": "1" });
  const repeated = await again.chat.completions.create({ model: "default", messages: [...messages] });
  t.equal(repeated.choices[0]?.message.content, "once");
  t.equal((await turnsOf(taskId)).length, 1);
  const body = { model: "default", input: "/say first" } as const;
  const one = await clientOf().responses.create(body);
  t.equal((await again.responses.create(body)).id, one.id);
  const next = { model: "default", input: "/say next", previous_response_id: one.id } as const;
  const two = await clientOf().responses.create(next);
  t.equal((await again.responses.create(next)).id, two.id);
  const keyed = clientOf({ "Idempotency-Key": "k1" });
  t.equal((await keyed.responses.create(body)).id, (await keyed.responses.create(body)).id);
});

t.test("a client that closes its stream of chat completions cancels the turn", async (t) => {
  const stream = await clientOf({ "X-Task-Id": "left" }).chat.completions.create({
    model: "default",
    messages: [{ role: "user", content: "/say Hi\n/fail silent" }],
    stream: true,
  });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  stream.controller.abort();
  await until("the turn is cancelled", async () => (await turnsOf("left"))[0]?.error === "CANCELLED");
  t.pass("cancelled");
});

t.test("a key that is bound to tasks reaches no response and no conversation of another", async (t) => {
  const secret = await clientOf({ "X-Task-Id": "secret" }).responses.create({ model: "default", input: "/say secret" });
  const bound = clientOf({ [BOUND_KEY_HEADER]: writeBoundKey(key, { ids: ["mine"] }) });
  t.match(await failureOf(bound.responses.retrieve(secret.id)), { status: 404 });
  t.match(await failureOf(bound.responses.cancel(secret.id)), { status: 404 });
  t.match(await failureOf(bound.responses.inputItems.list(secret.id)), { status: 404 });
  const next = { model: "default", input: "/say x" } as const;
  t.match(await failureOf(bound.responses.create({ ...next, previous_response_id: secret.id })), { status: 404 });
  t.match(await failureOf(bound.responses.create({ ...next, conversation: "secret" })), { status: 403 });
  t.match(await failureOf(bound.responses.create(next)), { status: 403 }, "a new task is not the key's");
  t.equal((await bound.responses.create({ ...next, conversation: "mine" })).output_text, "x");
});

t.test("a token without a scope cannot do by these protocols what it needs the scope for", async (t) => {
  const limited = clientOf({ "X-Engine-Key": key, [SCOPES_HEADER]: "turns" });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "/ask Which? | a | b" }];
  const asked = await limited.chat.completions.create({ model: "default", messages });
  messages.push(
    { role: "assistant", content: asked.choices[0]?.message.content ?? "" },
    { role: "user", content: "a" },
  );
  t.match(await failureOf(limited.chat.completions.create({ model: "default", messages })), {
    status: 403,
    code: "insufficient_scope",
  });
  const one = await limited.responses.create({ model: "default", input: "/say x" });
  t.match(await failureOf(limited.responses.delete(one.id)), { status: 403 });
});

t.test("hostile bodies get 400 or 404 in the protocol's form, and no turn", async (t) => {
  const before = (await engine.call("/turns?limit=1")).body.items[0].turn_id;
  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
  const user = { role: "user", content: "hi" };
  const post = (path: string, body: unknown) =>
    ask(engine.url, path, { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
  const chat = "/v1/chat/completions";
  const bad: [string, unknown][] = [
    [chat, `{"model": "default", "messages": ${deep}}`],
    [chat, { model: "default", messages: [{ role: "robot", content: "x" }] }],
    [chat, { model: "default", messages: [{ role: "user", content: [{ type: "image_url", image_url: null }] }] }],
    [chat, { model: "default", messages: Array.from({ length: 2001 }, () => user) }],
    [chat, { model: "default", messages: [user, { role: "assistant", content: "x" }] }],
    [chat, { model: "default", messages: [{ role: "tool", tool_call_id: "x".repeat(999), content: "x" }] }],
    [chat, { model: "default", messages: [user], metadata: { task_id: 3 } }],
    [chat, { model: "default", messages: [user], tool_choice: "required" }],
    ["/v1/responses", { model: "default", input: [{ type: "computer_call" }] }],
    ["/v1/responses", { model: "default", input: [{ type: "function_call_output", call_id: "call_x", output: "x" }] }],
    ["/v1/responses", { model: "default", input: "x", previous_response_id: "resp_../../x" }],
    ["/v1/responses", { model: "default", input: "x", previous_response_id: "resp_1", conversation: "c" }],
    ["/v1/responses", { model: "default", input: [null] }],
    ["/v1/responses", "not json"],
  ];
  for (const [path, body] of bad) {
    const { status, body: answer } = await post(path, body);
    t.ok(status === 400 || status === 404, JSON.stringify(body).slice(0, 80));
    t.match(answer, { error: { message: String, type: "invalid_request_error", code: String } });
  }
  const { status } = await post("/v1/responses/resp_x/cancel", {});
  t.equal(status, 404);
  t.equal((await engine.call("/turns?limit=1")).body.items[0].turn_id, before);
});
