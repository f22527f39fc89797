import t from "tap";
import { LONG } from "../../faults/parts/long.ts";
import { Random } from "../../faults/parts/random.ts";
import { type Frame, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { type RandomTurn, prepareWorkspace, randomTurn, replyTo } from "./parts/random-turns.ts";

const TURNS = LONG ? 10_000 : 40;

t.setTimeout(LONG ? 7_200_000 : 60_000);

const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });

/** Answers what a turn asks, and cancels it where it is to be cancelled. */
async function react(turn: RandomTurn, { event, data }: Frame, isLastText: boolean): Promise<void> {
  const cancel = () => engine.call("/execute/cancel", { body: { task_id: data.task_id } });
  if (event === "tool_call" && data.runs === "client") {
    const reply = replyTo(turn, JSON.stringify(data.input));
    if (reply?.kind === "client_tool")
      await engine.call("/tools/respond", { body: { tool_call_id: data.tool_call_id, ...reply.result } });
    else await cancel();
  }
  if (event === "hitl_request") {
    const reply = replyTo(turn, data.question);
    const respond = (answer: string) => engine.call("/hitl/respond", { body: { request_id: data.request_id, answer } });
    if (reply?.kind === "question") await respond(reply.answer);
    else if (reply?.kind === "permission") await respond(reply.isAllowed ? "allow_once" : "deny");
    else await cancel();
  }
  if (turn.cancelled === "while_silent" && isLastText) await cancel();
}

async function drive(turn: RandomTurn, taskId: string): Promise<readonly Frame[]> {
  const { message, clientTools } = turn;
  const stream = await engine.execute({ task_id: taskId, message, client_tools: clientTools, thinking: true });
  let texts = 0;
  for (let read = 0; ; read++) {
    const frame = await stream.nth(read);
    if (frame === null) return stream.all();
    const isText = frame.event === "content_block_stop" && frame.data.block_type === "text";
    if (isText) texts++;
    await react(turn, frame, isText && texts === turn.texts.length);
  }
}

t.test(
  "a random turn of the sandbox model does what its script says",
  { timeout: LONG ? 7_200_000 : 60_000 },
  async (t) => {
    const random = new Random();
    t.comment(`seed ${random.seed}`);
    for (let index = 0; index < TURNS; index++) {
      const turn = randomTurn(random);
      const frames = await drive(turn, `t${index}`);
      const texts = (type: string) => blocks(frames, type);
      const last = frames.at(-1);
      const own = new Set(
        frames.flatMap(({ event, data }) =>
          event === "tool_call" && data.agent === undefined ? [data.tool_call_id] : [],
        ),
      );
      const results = frames.filter(({ event, data }) => event === "tool_result" && own.has(data.tool_call_id));
      const got = {
        texts: texts("text_delta"),
        thoughts: texts("thinking_delta"),
        calls: results.map(({ data }) => ({ tool: data.tool, succeeds: data.error === null })),
        error: last?.event === "error" ? last.data.error : null,
      };
      const { thoughts, error } = turn;
      const expected = { texts: turn.texts, thoughts, calls: turn.calls, error };
      if (JSON.stringify(sorted(got)) !== JSON.stringify(sorted(expected))) {
        t.same(got, expected, `turn ${index} of seed ${random.seed}:\n${turn.message}`);
        return;
      }
    }
    t.pass(`${TURNS} turns`);
  },
);

const sorted = <T extends { readonly calls: readonly object[] }>(what: T) => ({
  ...what,
  calls: what.calls.map((call) => JSON.stringify(call)).sort(),
});

/** The texts of the blocks that have deltas of a kind. */
function blocks(frames: readonly Frame[], type: string): readonly string[] {
  const texts: string[] = [];
  let open = false;
  for (const { event, data } of frames) {
    if (event === "content_block_start") open = false;
    if (event !== type) continue;
    if (open) texts.push(`${texts.pop()}${data.text}`);
    else texts.push(data.text);
    open = true;
  }
  return texts;
}
