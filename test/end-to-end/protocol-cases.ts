import { type Task, TaskState } from "@a2a-js/sdk";
import OpenAI from "openai";
import type { Test } from "tap";
import { answerOf, clientOf, message } from "../engine/protocols/parts/a2a-client.ts";
import { agentOf } from "../engine/protocols/parts/ag-ui-agent.ts";
import { openChat, settled, textsOf } from "../engine/protocols/parts/ui-chat.ts";
import { openStream } from "../helpers/engine.ts";
import { decides, startHook } from "../helpers/tool-hook.ts";
import { until } from "../helpers/until.ts";
import type { FrontDoor } from "./front-door-cases.ts";

const WAKE_MS = 60_000;

/** An engine's address and key, as a client of a protocol has them. */
export interface Way {
  readonly url: string;
  readonly key: string;
}

/** What each protocol's own client is told of a turn, by the protocol. */
export async function answersOf(way: Way, text: string): Promise<Readonly<Record<string, string>>> {
  const openai = new OpenAI({ baseURL: `${way.url}/v1`, apiKey: way.key, maxRetries: 0 });
  const stream = openai.chat.completions.stream({ model: "default", messages: [{ role: "user", content: text }] });
  const completion = await stream.finalContent();
  const chat = openChat({ url: way.url, headers: { authorization: `Bearer ${way.key}` }, id: crypto.randomUUID() });
  await chat.sendMessage({ text });
  await settled(chat);
  const { agent, say } = agentOf(way, crypto.randomUUID());
  say(text);
  const { newMessages } = await agent.runAgent();
  const client = await clientOf(way);
  const task = (await client.sendMessage(message(text))) as Task;
  return {
    "chat completions": completion ?? "",
    "AI SDK UI": textsOf(chat).join("\n\n"),
    "AG-UI": newMessages.flatMap(({ content }) => (typeof content === "string" ? content : [])).join("\n\n"),
    A2A: answerOf(task),
  };
}

/** The same answer in every protocol. */
export const everywhere = (text: string) => ({
  "chat completions": text,
  "AI SDK UI": text,
  "AG-UI": text,
  A2A: text,
});

/** Other protocols, and the tools hook of the product, on any backend. */
export async function protocolCases(t: Test, { base, user, engine, platform, setPolicy }: FrontDoor): Promise<void> {
  const byKey = { url: `${base}/e/${engine.id}`, key: engine.key };
  const token = async () => (await platform("POST", `/engines/${user}/tokens`, {})).body.token as string;
  const sleep = () =>
    until("it sleeps", async () => (await platform("POST", `/engines/${user}/sleep`, {})).status === 200, WAKE_MS);

  await t.test("clients of four protocols get their answers through the daemon", async (t) => {
    const text = "hello\n\nagain";
    for (const way of [byKey, { url: `${base}/me`, key: await token() }])
      t.same(await answersOf(way, "/say hello\n/say again"), everywhere(text), way.url);
  });

  await t.test("a question is asked over AG-UI, the engine sleeps, and an answer over A2A wakes it", async (t) => {
    const way = { url: `${base}/me`, key: await token() };
    const { agent, say, last } = agentOf(way, "asked-here");
    say("/ask Which? | left | right\n/say fine");
    await agent.runAgent();
    t.match(last(), { type: "RUN_FINISHED", outcome: { type: "interrupt" } });
    await sleep();
    const client = await clientOf(way);
    const task = (await client.sendMessage(message("left", { contextId: "asked-here" }))) as Task;
    t.match(task.status, { state: TaskState.TASK_STATE_COMPLETED });
    t.equal(answerOf(task), "fine");
  });

  await t.test("the product's hook decides about a call of a tool, whatever protocol began the turn", async (t) => {
    const hook = await startHook(t);
    const tools = { url: hook.url, tools: ["list_*"], timeout_ms: 5000, on_error: "deny" };
    await setPolicy({ private_hosts: [hook.host], tool_hook: tools });
    await sleep();
    hook.answer = decides({ verdict: "deny", reason: "closed on Tuesdays" });
    const { agent, say, events } = agentOf(byKey, "hooked");
    say('/tool list_files {"path":"."}\n/say done');
    await agent.runAgent();
    t.match(
      events.find(({ type }) => type === "TOOL_CALL_RESULT"),
      { content: /closed on Tuesdays/ },
    );
    t.match(hook.calls, [{ data: { user_id: user, engine_id: engine.id, task_id: "hooked", tool: "list_files" } }]);
    hook.answer = decides({ verdict: "allow" });
    const headers = { "x-engine-key": engine.key };
    const body = { task_id: "hooked", message: '/tool list_files {"path":"."}' };
    const frames = await (await openStream(byKey.url, "/execute", { headers, body })).all();
    t.match(
      frames.find(({ event }) => event === "tool_result"),
      { data: { error: null } },
    );
    await setPolicy({ tool_hook: null });
  });
}
