import { HttpAgent, buildResumeArray } from "@ag-ui/client";
import t from "tap";
import { ask } from "../../helpers/api.ts";
import { type TestEngine, startEngine } from "../../helpers/engine.ts";

const engine = await startEngine(t);

/** An agent of the protocol's own client, with everything that it received. */
function agentOf({ url, key }: Pick<TestEngine, "url" | "key">, threadId: string) {
  const agent = new HttpAgent({ url: `${url}/ag-ui`, threadId, headers: { Authorization: `Bearer ${key}` } });
  // oxlint-disable-next-line typescript/no-explicit-any
  const events: any[] = [];
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) });
  const say = (content: string, id: string = crypto.randomUUID()) =>
    agent.addMessage({ id, role: "user", content } as never);
  return { agent, events, say };
}

t.test("a run streams reasoning, text and calls in an order that the client accepts", async (t) => {
  const { agent, events, say } = agentOf(engine, "order");
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
  t.match(events.at(-1), { type: "RUN_FINISHED", outcome: { type: "success" }, usage: [{ inputTokens: Number }] });
  t.match(agent.state, { orchd: { task_id: "order", usage: { input_tokens: Number } } });
});

t.test("a refused run has the form of a run's error", async (t) => {
  const refused = await ask(engine.url, "/ag-ui", {
    method: "POST",
    headers: { authorization: `Bearer ${engine.key}` },
    body: { threadId: "t", runId: "r", messages: [{ id: "m", role: "nobody" }] },
  });
  t.match(refused, {
    status: 400,
    body: { type: "RUN_ERROR", code: "INVALID_REQUEST", message: /^messages\.0\.role: / },
  });
});

t.test("a question interrupts the run, and a resumed run goes on after it", async (t) => {
  const { agent, events, say } = agentOf(engine, "question");
  say("/say before\n/ask Which? | A | B\n/say after");
  await agent.runAgent();
  t.match(agent.pendingInterrupts, [
    { reason: "input_required", message: "Which?", metadata: { options: ["A", "B"] } },
  ]);
  const answers = Object.fromEntries(
    agent.pendingInterrupts.map(({ id }) => [id, { status: "resolved" as const, payload: { answer: "B" } }]),
  );
  const resume = buildResumeArray(agent.pendingInterrupts, answers);
  const count = events.length;
  const { newMessages } = await agent.runAgent({ resume });
  t.same(
    events
      .slice(count)
      .filter(({ type }) => type === "TEXT_MESSAGE_CONTENT")
      .map(({ delta }) => delta),
    ["after"],
  );
  t.match(
    newMessages.map(({ role }) => role),
    ["tool", "assistant"],
  );
  t.same(agent.pendingInterrupts, []);
});
