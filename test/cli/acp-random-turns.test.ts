import t from "tap";
import { type SessionUpdate, client, methods } from "@agentclientprotocol/sdk";
import { type RandomTurn, prepareWorkspace, randomTurn, replyTo } from "../engine/protocols/parts/random-turns.ts";
import { LONG } from "../faults/parts/long.ts";
import { Random } from "../faults/parts/random.ts";
import { acpStreams } from "../helpers/editor-streams.ts";
import { startEngine } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

const TURNS = LONG ? 10_000 : 25;
const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });

/** An editor declares no tools. */
const canPrompt = ({ message, clientTools }: RandomTurn): boolean =>
  clientTools.every(({ name }) => !message.includes(`/tool ${name} `));

t.test("the updates of a random turn are what its script says", { timeout: LONG ? 7_200_000 : 60_000 }, async (t) => {
  const random = new Random();
  t.comment(`seed ${random.seed}`);
  let updates: SessionUpdate[] = [];
  let running: { readonly turn: RandomTurn; readonly cancel: () => Promise<void> } | null = null;
  const replyOf = (asked: string) => (running === null ? null : replyTo(running.turn, asked));
  const app = client({ name: "test" })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const reply = replyOf(params.toolCall.title ?? "");
      if (reply?.kind === "permission")
        return { outcome: { outcome: "selected", optionId: reply.isAllowed ? "allow_once" : "deny" } };
      await running?.cancel();
      return { outcome: { outcome: "cancelled" } };
    })
    .onRequest(methods.client.elicitation.create, async ({ params }) => {
      const reply = replyOf(params.message);
      if (reply?.kind === "question") return { action: "accept", content: { answer: reply.answer } };
      await running?.cancel();
      return { action: "cancel" };
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    });
  const { stream, input, served } = acpStreams(engine);
  const { agent } = app.connect(stream);
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { elicitation: { form: {} } },
  });
  const text = (kind: "agent_message_chunk" | "agent_thought_chunk") =>
    updates
      .flatMap((one) => (one.sessionUpdate === kind && one.content.type === "text" ? [one.content.text] : []))
      .join("");
  for (let index = 0; index < TURNS; index++) {
    const turn = randomTurn(random);
    if (!canPrompt(turn)) continue;
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
    updates = [];
    running = { turn, cancel: () => agent.notify(methods.agent.session.cancel, { sessionId }) };
    const prompt = agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: turn.message }],
    });
    const expected = { text: turn.texts.join(""), thoughts: turn.thoughts.join(""), error: turn.error };
    if (turn.cancelled === "while_silent") {
      await until("the last text has come", () => text("agent_message_chunk") === expected.text);
      await running.cancel();
    }
    const error = await prompt.then(
      ({ stopReason }) => (stopReason === "cancelled" ? "CANCELLED" : null),
      ({ data }: { data?: { error?: string } }) => data?.error ?? "UNKNOWN",
    );
    const seen = () => ({ text: text("agent_message_chunk"), thoughts: text("agent_thought_chunk"), error });
    // The editor's own SDK hands on the last updates after the answer to the prompt.
    const isSame = () => JSON.stringify(seen()) === JSON.stringify(expected);
    const calls = () => updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call_update").length;
    await until("all updates are there", () => isSame() && calls() >= turn.calls.length, 2000).catch(() => {});
    if (isSame() && calls() >= turn.calls.length) continue;
    t.same(seen(), expected, `turn ${index} of seed ${random.seed}:\n${turn.message}`);
    t.ok(calls() >= turn.calls.length, "each call has a result");
    return;
  }
  t.pass(`${TURNS} turns`);
  input.end();
  await served;
});
