import { type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { answerOf, clientOf, message } from "../engine/protocols/parts/a2a-client.ts";
import { agentOf } from "../engine/protocols/parts/ag-ui-agent.ts";
import { lastParts, openChat, settled } from "../engine/protocols/parts/ui-chat.ts";
import { managedClient, message as sent, readTurn, typesOf } from "../engine/protocols/parts/managed-client.ts";
import { ask } from "../helpers/api.ts";
import { MCP_ERAS, connectMcp } from "../helpers/mcp-client.ts";
import type { Daemon } from "../helpers/daemon.ts";
import { openReplicas } from "../helpers/replicas.ts";
import { until } from "../helpers/until.ts";
import { answersOf, everywhere } from "./protocol-cases.ts";

t.setTimeout(120_000);
const replicas = await openReplicas(t, { products: ["acme"] });
const leader = await replicas.start();
const follower = await replicas.start();
const policy = { requests_per_minute: null, user_requests_per_minute: null, idle_stop_s: 0, drain_s: 1 };
const registered = await leader.admin("/products/register", { method: "POST", body: { slug: "acme", policy } });
const platform = (daemon: Daemon, method: string, path: string, body?: object) =>
  daemon.platform(registered.body.platform_api_key, path, { method, ...(body !== undefined && { body }) });
const { body: anna } = await platform(follower, "POST", "/engines/provision", { user_id: "anna" });
const { token } = (await platform(follower, "POST", "/engines/anna/tokens", {})).body;
const byKey = { url: `${follower.url}/e/${anna.id}`, key: anna.engine_api_key as string };
const byToken = { url: `${follower.url}/me`, key: token as string };
const sleep = () =>
  until("it sleeps", async () => (await platform(follower, "POST", "/engines/anna/sleep", {})).status === 200);

for (const way of [byKey, byToken])
  t.test(
    `clients of four protocols get their answers through a follower, at ${new URL(way.url).pathname}`,
    async (t) => {
      t.same(await answersOf(way, "/say hello\n/say again"), everywhere("hello\n\nagain"));
    },
  );

for (const era of MCP_ERAS)
  t.test(`${era}: a tool of the engine is called through a follower`, async (t) => {
    const headers = { authorization: `Bearer ${token}` };
    const elicit = () => ({ action: "accept" as const, content: { answer: "B" } });
    const client = await connectMcp(t, `${byToken.url}/mcp`, { era, headers, elicit });
    const asked = await client.callTool({ name: "ask", arguments: { message: "/ask Which? | A | B\n/say Fine." } });
    t.match(asked, { structuredContent: { status: "completed", answer: "Fine." } });
  });

t.test("a stream of a session goes on through a follower while the engine sleeps and wakes", async (t) => {
  const { sessions, newSession } = managedClient(byKey);
  const { id } = await newSession();
  const stream = await sessions.events.stream(id);
  const reading = readTurn(stream);
  await sleep();
  await sessions.events.send(id, { events: [sent("/say awake")] });
  t.ok(typesOf(await reading).includes("agent.message"));
});

t.test("questions outlive the engine's sleep: it wakes at the answer through a follower", async (t) => {
  const { agent, say, last } = agentOf(byToken, "by-ag-ui");
  say("/ask Which? | left | right\n/say fine");
  await agent.runAgent();
  const [{ id }] = last().outcome.interrupts;
  await sleep();
  await agent.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: { answer: "left" } }] });
  t.match(last(), { type: "RUN_FINISHED", outcome: { type: "success" } });
  t.match(agent.messages.at(-1), { role: "assistant", content: "fine" });

  const client = await clientOf(byKey);
  const asked = (await client.sendMessage(message("/ask Which? | left | right\n/say fine"))) as Task;
  t.match(asked.status, { state: TaskState.TASK_STATE_INPUT_REQUIRED });
  await sleep();
  const answer = message("right", { taskId: asked.id, contextId: asked.contextId });
  t.equal(answerOf((await client.sendMessage(answer)) as Task), "fine");

  const headers = { authorization: `Bearer ${token}` };
  // It leaves no stream: that has ended with the question.
  const chat = openChat({ url: byToken.url, headers, id: "by-ui", body: { on_disconnect: "cancel" } });
  await chat.sendMessage({ text: "/ask Which? | left | right\n/say fine" });
  await settled(chat);
  const { toolCallId } = lastParts(chat).find(({ toolName }) => toolName === "ask_human");
  await sleep();
  await chat.addToolOutput({ tool: "ask_human", toolCallId, output: "left" });
  await until("it answers", () => lastParts(chat).some(({ text }) => text === "fine"));
});

/** How many calls the follower has passed on to the leader. */
async function passedOn(): Promise<number> {
  const { text } = await ask(follower.url, "/metrics");
  return [...text.matchAll(/^orch_replica_calls_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
}

t.test("a stream through a follower outlives the leader", async (t) => {
  await until("the follower knows that the engine runs", async () => {
    const before = await passedOn();
    await ask(byToken.url, "/tasks", { headers: { authorization: `Bearer ${token}` } });
    return (await passedOn()) === before;
  });
  const { agent, say, events, last } = agentOf(byToken, "long");
  say("/stream 200 40\n/say end");
  const run = agent.runAgent();
  await until("it streams", () => events.some(({ type }) => type === "TEXT_MESSAGE_CONTENT"));
  leader.process.kill("SIGKILL");
  await run;
  t.match(last(), { type: "RUN_FINISHED", outcome: { type: "success" } });
  t.match(agent.messages.at(-1), { content: "end" });
});
