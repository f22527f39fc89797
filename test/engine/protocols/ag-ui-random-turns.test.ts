import t from "tap";
import { LONG } from "../../faults/parts/long.ts";
import { Random } from "../../faults/parts/random.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { agentOf } from "./parts/ag-ui-agent.ts";
import { LOOK_TOOL, type RandomTurn, prepareWorkspace, randomTurn, replyTo } from "./parts/random-turns.ts";

const TURNS = LONG ? 10_000 : 20;
const TOOLS = [{ name: LOOK_TOOL.name, description: LOOK_TOOL.description, parameters: LOOK_TOOL.input_schema }];

const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });
const cancel = (taskId: string) => engine.call("/execute/cancel", { body: { task_id: taskId } });

type Client = ReturnType<typeof agentOf>;

/** Runs a turn to its end, and answers what it asks. */
async function drive(turn: RandomTurn, client: Client, taskId: string): Promise<void> {
  const { agent } = client;
  const tools = turn.clientTools.length > 0 ? TOOLS : [];
  const forwardedProps = { thinking: true };
  client.say(turn.message);
  let resume: Parameters<typeof agent.runAgent>[0] = {};
  let texts = 0;
  const subscriber = {
    onTextMessageEndEvent() {
      texts++;
      // While the model is silent.
      if (turn.cancelled === "while_silent" && texts === turn.texts.length) void cancel(taskId);
    },
  };
  for (;;) {
    await agent.runAgent({ tools, forwardedProps, ...resume }, subscriber);
    const { outcome } = client.last();
    const asked = outcome?.interrupts ?? [];
    const pending: readonly string[] = outcome?.pendingToolCallIds ?? [];
    if (asked.length === 0 && pending.length === 0) return;
    const answers = asked.map(
      ({ id, message, metadata }: { id: string; message: string; metadata: { kind: string } }) => {
        const reply = replyTo(turn, message);
        if (reply === null) return { interruptId: id, status: "cancelled", kind: metadata.kind };
        if (reply.kind === "question")
          return { interruptId: id, status: "resolved", payload: { answer: reply.answer } };
        return {
          interruptId: id,
          status: "resolved",
          payload: { approved: reply.kind === "permission" && reply.isAllowed },
        };
      },
    );
    // The user ends the turn instead of an answer.
    if (answers.some((one: { kind?: string }) => one.kind === "permission")) return endByCancel(client, taskId);
    for (const id of pending) {
      const input = inputOf(client, id);
      const reply = replyTo(turn, input);
      if (reply?.kind !== "client_tool") return endByCancel(client, taskId);
      client.result(id, reply.result);
    }
    resume = answers.length === 0 ? {} : { resume: answers };
  }
}

/** The turn is cancelled elsewhere. The client asks for the conversation, and gets the state that it has. */
async function endByCancel({ agent, events }: Client, taskId: string): Promise<void> {
  await cancel(taskId);
  agent.pendingInterrupts = [];
  events.push({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
}

const inputOf = ({ agent }: Client, id: string): string =>
  agent.messages
    .flatMap((message) => ("toolCalls" in message ? (message.toolCalls ?? []) : []))
    .find((call) => call.id === id)?.function.arguments ?? "";

/** What the client knows of the turn. */
function known({ agent, last }: Client): Pick<RandomTurn, "texts" | "thoughts" | "error"> {
  const of = (role: string) =>
    agent.messages
      .filter((one) => one.role === role && one.content !== undefined)
      .map(({ content }) => String(content));
  const { type, code, outcome } = last();
  const error = type === "RUN_ERROR" ? code : outcome.type === "cancelled" ? "CANCELLED" : null;
  return { texts: of("assistant"), thoughts: of("reasoning"), error };
}

t.test(
  "random turns reach the client whole, in an order that it accepts",
  { timeout: LONG ? 7_200_000 : 60_000 },
  async (t) => {
    const random = new Random();
    t.comment(`seed ${random.seed}`);
    for (let index = 0; index < TURNS; index++) {
      const turn = randomTurn(random);
      const client = agentOf(engine, `t${index}`);
      await drive(turn, client, `t${index}`);
      const { texts, thoughts, error } = turn;
      const got = known(client);
      const results = client.agent.messages.filter(
        ({ role, ...one }) => role === "tool" && !("subagentRunId" in one),
      ).length;
      const isWhole = turn.error !== null || results === turn.calls.length;
      if (JSON.stringify(got) !== JSON.stringify({ texts, thoughts, error }) || !isWhole) {
        t.same(
          { ...got, results },
          { texts, thoughts, error, results: turn.calls.length },
          `turn ${index} of seed ${random.seed}:\n${turn.message}`,
        );
        return;
      }
    }
    t.pass(`${TURNS} turns`);
  },
);
