import type Anthropic from "@anthropic-ai/sdk";
import { accumulateManagedAgentsEvent } from "@anthropic-ai/sdk/lib/sessions/accumulate";
import t from "tap";
import { LONG } from "../../faults/parts/long.ts";
import { Random } from "../../faults/parts/random.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { type StreamEvent, managedClient, message } from "./parts/managed-client.ts";
import { problemsOf } from "./parts/managed-problems.ts";
import { type RandomTurn, prepareWorkspace, randomTurn, replyTo } from "./parts/random-turns.ts";

type Sent = Anthropic.Beta.Sessions.EventSendParams["events"][number];

const TURNS = LONG ? 10_000 : 25;

const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });
const { sessions, newSession, listed } = managedClient(engine);

/** The answer to what a turn waits for: an interrupt where it is to be cancelled. */
function answerTo(turn: RandomTurn, event: StreamEvent | undefined): Sent {
  if (event?.type === "agent.custom_tool_use") {
    const isQuestion = event.name === "ask_human";
    const reply = replyTo(turn, isQuestion ? String(event.input["question"]) : JSON.stringify(event.input));
    const result = (text: string, is_error = false): Sent => ({
      type: "user.custom_tool_result",
      custom_tool_use_id: event.id,
      content: [{ type: "text", text }],
      is_error,
    });
    if (reply?.kind === "question") return result(reply.answer);
    if (reply?.kind === "client_tool")
      return "error" in reply.result ? result(reply.result.error, true) : result(JSON.stringify(reply.result.output));
  }
  if (event?.type === "agent.tool_use") {
    const reply = replyTo(turn, `${String(event.input["path"])}?`);
    if (reply?.kind === "permission")
      return { type: "user.tool_confirmation", tool_use_id: event.id, result: reply.isAllowed ? "allow" : "deny" };
  }
  return { type: "user.interrupt" };
}

async function drive(turn: RandomTurn) {
  const tools = turn.clientTools.map((tool) => ({ type: "custom", ...tool }));
  const { id } = await newSession(
    tools.length === 0 ? {} : { agent: { type: "agent_with_overrides", id: "default", tools } },
  );
  const stream = await sessions.events.stream(id, { event_deltas: ["agent.message"] });
  await sessions.events.send(id, { events: [message(turn.message)] });
  const events: StreamEvent[] = [];
  const answered = new Set<string>();
  let preview: Parameters<typeof accumulateManagedAgentsEvent>[0];
  let texts = 0;
  for await (const event of stream) {
    events.push(event);
    // Throws for a preview that does not begin, or has a gap.
    if (event.type === "event_start") preview = undefined;
    preview = accumulateManagedAgentsEvent(preview, event);
    if (event.type === "agent.message" && ++texts === turn.texts.length && turn.cancelled === "while_silent")
      await sessions.events.send(id, { events: [{ type: "user.interrupt" }] });
    if (event.type !== "session.status_idle") continue;
    if (event.stop_reason.type !== "requires_action") break;
    for (const open of event.stop_reason.event_ids.filter((one) => !answered.has(one))) {
      answered.add(open);
      const asked = events.find((one) => "id" in one && one.id === open);
      await sessions.events.send(id, { events: [answerTo(turn, asked)] });
    }
  }
  return { events, list: await listed(id) };
}

t.test("random turns keep to the protocol", { timeout: LONG ? 7_200_000 : 60_000 }, async (t) => {
  const random = new Random();
  t.comment(`seed ${random.seed}`);
  for (let index = 0; index < TURNS; index++) {
    const turn = randomTurn(random);
    const { events, list } = await drive(turn);
    const problems = problemsOf(turn, events, list);
    if (problems.length > 0) {
      t.same(problems, [], `turn ${index} of seed ${random.seed}:\n${turn.message}`);
      return;
    }
  }
  t.pass(`${TURNS} turns`);
});
