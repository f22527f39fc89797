import { type Part, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import t from "tap";
import { LONG } from "../../faults/parts/long.ts";
import { Random } from "../../faults/parts/random.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { answerOf, clientOf, data, message } from "./parts/a2a-client.ts";
import { type RandomTurn, prepareWorkspace, randomTurn, replyTo } from "./parts/random-turns.ts";

const TURNS = LONG ? 10_000 : 20;

const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });
const client = await clientOf(engine);

/** What a client makes of the events of a stream. */
class Followed {
  task: Task | null = null;
  answer = "";
  state = TaskState.TASK_STATE_UNSPECIFIED;
  asks: Part[] = [];

  take({ payload }: StreamResponse): void {
    if (payload?.$case === "task") {
      this.task = payload.value;
      this.answer = answerOf(payload.value);
      this.state = payload.value.status?.state ?? this.state;
      this.asks = payload.value.status?.message?.parts ?? [];
    } else if (payload?.$case === "artifactUpdate" && payload.value.artifact?.artifactId === "answer") {
      const text = payload.value.artifact.parts.map(({ content }) => content?.value).join("");
      this.answer = payload.value.append ? this.answer + text : text;
    } else if (payload?.$case === "statusUpdate") {
      this.state = payload.value.status?.state ?? this.state;
      this.asks = payload.value.status?.message?.parts ?? [];
    }
  }
}

/** Runs a turn to its end, and answers what it asks. */
async function drive(turn: RandomTurn, contextId: string): Promise<Followed> {
  const seen = new Followed();
  const follow = async (events: ReturnType<Client["sendMessageStream"]>) => {
    for await (const event of events) {
      seen.take(event);
      if (turn.cancelled === "while_silent" && seen.answer === turn.texts.join("\n\n"))
        void client.cancelTask({ tenant: "", id: seen.task?.id ?? "", metadata: undefined }).catch(() => undefined);
    }
  };
  await follow(
    client.sendMessageStream(
      message(turn.message, { contextId, metadata: { client_tools: turn.clientTools, thinking: true } }),
    ),
  );
  while (seen.state === TaskState.TASK_STATE_INPUT_REQUIRED) {
    const taskId = seen.task?.id ?? "";
    const parts = seen.asks.flatMap(({ content }) =>
      content?.$case === "data" ? [answerTo(turn, content.value)] : [],
    );
    if (parts.includes(null)) {
      await client.cancelTask({ tenant: "", id: taskId, metadata: undefined });
      seen.take({ payload: { $case: "task", value: await client.getTask({ tenant: "", id: taskId }) } });
    } else
      await follow(
        client.sendMessageStream(
          message(
            parts.map((one) => data(one)),
            { contextId, taskId },
          ),
        ),
      );
  }
  return seen;
}

// What the protocol leaves to the agent has no type.
// oxlint-disable-next-line typescript/no-explicit-any
function answerTo(turn: RandomTurn, asked: any): object | null {
  const { request_id, tool_call_id, input, kind } = asked;
  if (tool_call_id !== undefined) {
    const reply = replyTo(turn, JSON.stringify(input));
    return reply?.kind === "client_tool" ? { tool_call_id, ...reply.result } : null;
  }
  const reply = replyTo(turn, asked.question);
  if (reply?.kind === "question") return { request_id, answer: reply.answer };
  return reply?.kind === "permission" ? { request_id, answer: reply.isAllowed ? "allow_once" : "deny", kind } : null;
}

const STATES = { CANCELLED: TaskState.TASK_STATE_CANCELED, null: TaskState.TASK_STATE_COMPLETED };

t.test("random turns reach the client whole", { timeout: LONG ? 7_200_000 : 60_000 }, async (t) => {
  const random = new Random();
  t.comment(`seed ${random.seed}`);
  for (let count = 1; count <= TURNS; count++) {
    const turn = randomTurn(random);
    const seen = await drive(turn, `t${count}`);
    const state =
      turn.error === "CANCELLED" || turn.error === null ? STATES[`${turn.error}`] : TaskState.TASK_STATE_FAILED;
    const expected = { answer: turn.texts.join("\n\n"), state };
    const stored = await client.getTask({ tenant: "", id: seen.task?.id ?? "" });
    const got = { answer: seen.answer, state: seen.state };
    const kept = { answer: answerOf(stored), state: stored.status?.state };
    if (JSON.stringify([got, kept]) !== JSON.stringify([expected, expected])) {
      t.same(
        { got, kept },
        { got: expected, kept: expected },
        `turn ${count} of seed ${random.seed}:\n${turn.message}`,
      );
      return;
    }
  }
  t.pass(`${TURNS} turns`);
});
