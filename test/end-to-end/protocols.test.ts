import { type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";
import { answerOf, clientOf, message } from "../engine/protocols/parts/a2a-client.ts";
import { agentOf } from "../engine/protocols/parts/ag-ui-agent.ts";
import { lastParts, openChat, partOf, settled } from "../engine/protocols/parts/ui-chat.ts";

const port = await freePort();
const base = `http://localhost:${port}`;
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: base } });
const alice = await fleet.provision("alice");
const token: string = (await alice.post("tokens")).body.token;
const byKey = { url: `${base}/e/${alice.id}`, key: alice.key };
const byToken = { url: `${base}/me`, key: token };

t.test("agents find an engine through the daemon by the address that they know", async (t) => {
  for (const way of [byKey, byToken]) {
    const client = await clientOf(way);
    const { supportedInterfaces } = await client.getAgentCard();
    t.match(supportedInterfaces, [{ url: `${way.url}/a2a`, protocolBinding: "JSONRPC" }]);
    const task = (await client.sendMessage(message("/say hello"))) as Task;
    t.equal(answerOf(task), "hello");
    const { agent, say } = agentOf(way, task.contextId);
    say("/say more");
    const { newMessages } = await agent.runAgent();
    t.match(newMessages, [{ role: "assistant", content: "more" }]);
  }
});

t.test("a caller cannot name another address of an engine", async (t) => {
  const headers = { authorization: `Bearer ${token}`, "x-base-url": "http://evil.example" };
  const { body } = await ask(base, "/me/.well-known/agent-card.json", { headers });
  t.equal(body.supportedInterfaces[0].url, `${base}/me/a2a`);
});

t.test("what the daemon refuses has the protocol's form", async (t) => {
  const reader: string = (await alice.post("tokens", { scope: "tasks:read" })).body.token;
  const call = (path: string, key: string) =>
    ask(base, path, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: {} });
  t.match(await call("/me/ag-ui", "orcht_wrong"), { status: 401, body: { type: "RUN_ERROR", code: "INVALID_TOKEN" } });
  t.match(await call("/me/ag-ui", reader), { status: 403, body: { type: "RUN_ERROR", code: "INSUFFICIENT_SCOPE" } });
  const refused = { jsonrpc: "2.0", id: null, error: { code: 403, data: [{ reason: "INSUFFICIENT_SCOPE" }] } };
  t.match(await call("/me/a2a", reader), { status: 403, body: refused });
  t.match(await call(`/e/${alice.id}/a2a`, "sk-orch-wrong"), { status: 401, body: { error: { code: 401 } } });
});

t.test("a turn begun over one protocol is answered over a second, and read over a third after kill -9", async (t) => {
  const chat = openChat({ url: byKey.url, headers: { authorization: `Bearer ${byKey.key}` }, id: "mixed" });
  await chat.sendMessage({
    text: "/say begun\n/ask Which? | A | B\n/say answered\n/tool list_files {}\n/stream 300 100\n/say end",
  });
  await settled(chat);
  t.match(
    lastParts(chat).filter(({ type }) => type === "text"),
    [{ text: "begun" }],
  );
  await partOf(chat, ({ type }) => /question|approval|tool/.test(type));

  const agents = await clientOf(byToken);
  const [waiting] = (
    await agents.listTasks({
      tenant: "",
      contextId: "mixed",
      status: TaskState.TASK_STATE_INPUT_REQUIRED,
      pageToken: "",
      statusTimestampAfter: undefined,
    })
  ).tasks;
  t.match(waiting, { status: { state: TaskState.TASK_STATE_INPUT_REQUIRED } });
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true };
  const answer = message("B", { contextId: "mixed", taskId: waiting?.id ?? "" }, configuration);
  t.match(await agents.sendMessage(answer), { id: waiting?.id });

  const get = () => agents.getTask({ tenant: "", id: waiting?.id ?? "" });
  await until("the answer streams", async () => /word30 /.test(answerOf(await get())));
  const { pid } = await alice.show();
  process.kill(pid, "SIGKILL");

  const { agent, last } = agentOf(byToken, "mixed");
  await until("the engine is back", async () => ((await alice.show()).pid ?? pid) !== pid);
  await agent.runAgent();
  t.match(last(), { type: "RUN_FINISHED", outcome: { type: "success" } });
  const stream = Array.from({ length: 300 }, (_, index) => `word${index} `).join("");
  const texts = agent.messages.filter(({ role, content }) => role === "assistant" && content !== undefined);
  t.same(
    texts.map(({ content }) => content),
    ["begun", "answered", stream, "end"],
  );
  t.equal(answerOf(await get()), ["begun", "answered", stream, "end"].join("\n\n"));
});
