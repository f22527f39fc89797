import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { type TestEngine, startEngine } from "../../helpers/engine.ts";

const engine = await startEngine(t);

function clientOf({ url, key }: Pick<TestEngine, "url" | "key">): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init = {}) =>
    fetch(input, { ...init, headers: { ...(init.headers as object), authorization: `Bearer ${key}` } });
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    preferredTransports: ["JSONRPC"],
  }).createFromUrl(`${url}/`);
}

const message = (text: string, more: object = {}) => ({
  tenant: "",
  metadata: undefined,
  configuration: undefined,
  message: {
    messageId: crypto.randomUUID(),
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts: [{ content: { $case: "text" as const, value: text }, metadata: undefined, filename: "", mediaType: "" }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
});
const textOf = (task: Task) =>
  task.artifacts
    .flatMap(({ parts }) => parts.flatMap(({ content }) => (content?.$case === "text" ? content.value : [])))
    .join("");

t.test("a client finds the agent by its card, and a blocking message returns the finished task", async (t) => {
  const client = await clientOf(engine);
  const card = await client.getAgentCard();
  t.match(card, { name: "default", skills: [{ id: "default" }], supportedInterfaces: [{ url: `${engine.url}/a2a` }] });
  const task = (await client.sendMessage(message("/say hello\n/tool list_files {}\n/say done"))) as Task;
  t.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
  t.equal(textOf(task), "hello\n\ndone");
  t.match(task.history, [{ role: Role.ROLE_USER, taskId: task.id }]);
  t.same(await client.getTask({ tenant: "", id: task.id }), task);
});

t.test("a stream begins with the task, and ends with its last status", async (t) => {
  const client = await clientOf(engine);
  const seen: StreamResponse[] = [];
  for await (const event of client.sendMessageStream(message("/say hello\n/say there"))) seen.push(event);
  t.equal(seen[0]?.payload?.$case, "task");
  t.match(seen.at(-1)?.payload, {
    $case: "statusUpdate",
    value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
  });
  const text = seen.map(({ payload }) =>
    payload?.$case === "artifactUpdate"
      ? payload.value.artifact?.parts.map(({ content }) => content?.value).join("")
      : "",
  );
  t.equal(text.join(""), "hello\n\nthere");
});

t.test("a question makes the task wait, and the next message with its id answers", async (t) => {
  const client = await clientOf(engine);
  const asked = (await client.sendMessage(message("/say before\n/ask Which? | A | B\n/say after"))) as Task;
  t.match(asked.status, {
    state: TaskState.TASK_STATE_INPUT_REQUIRED,
    message: { role: Role.ROLE_AGENT, parts: [{ content: { value: "Which?\nOptions: A, B" } }, {}] },
  });
  const done = (await client.sendMessage(message("B", { taskId: asked.id, contextId: asked.contextId }))) as Task;
  t.equal(done.id, asked.id);
  t.equal(done.status?.state, TaskState.TASK_STATE_COMPLETED);
  t.equal(textOf(done), "before\n\nafter");
  t.same(
    done.history.map(({ role }) => role),
    [Role.ROLE_USER, Role.ROLE_AGENT, Role.ROLE_USER],
  );
});
