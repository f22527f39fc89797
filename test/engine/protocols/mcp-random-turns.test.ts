import t from "tap";
import { LONG } from "../../faults/parts/long.ts";
import { Random } from "../../faults/parts/random.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { MCP_ERAS, connectMcp } from "../../helpers/mcp-client.ts";
import { until } from "../../helpers/until.ts";
import { type RandomTurn, prepareWorkspace, randomTurn, replyTo } from "./parts/random-turns.ts";

const TURNS = LONG ? 10_000 : 15;
const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });
const headers = { authorization: `Bearer ${engine.key}` };

/** `ask` declares no tools of its client. */
const canAsk = ({ message, clientTools }: RandomTurn): boolean =>
  clientTools.every(({ name }) => !message.includes(`/tool ${name} `));

const cancel = (task: string) => engine.call("/execute/cancel", { body: { task_id: task } });

for (const era of MCP_ERAS)
  t.test(
    `${era}: the answer of a random turn is what its script says`,
    { timeout: LONG ? 7_200_000 : 60_000 },
    async (t) => {
      const random = new Random();
      t.comment(`seed ${random.seed}`);
      let running: { readonly turn: RandomTurn; readonly task: string } | null = null;
      const client = await connectMcp(t, `${engine.url}/mcp`, {
        era,
        headers,
        async elicit({ message }) {
          const reply = running === null ? null : replyTo(running.turn, message.split("\n")[0] ?? "");
          if (reply?.kind === "question") return { action: "accept", content: { answer: reply.answer } };
          if (reply?.kind === "permission")
            return reply.isAllowed ? { action: "accept", content: { answer: "allow_once" } } : { action: "decline" };
          if (running !== null) await cancel(running.task);
          return { action: "cancel" };
        },
      });
      for (let index = 0; index < TURNS; index++) {
        const turn = randomTurn(random);
        if (!canAsk(turn)) continue;
        const task = `${era}-${index}`;
        running = { turn, task };
        let isOver = false;
        const asked = client.callTool(
          { name: "ask", arguments: { message: turn.message, task_id: task } },
          { onprogress() {} },
        );
        const ended = asked.finally(() => (isOver = true));
        if (turn.cancelled === "while_silent")
          await until("the turn is cancelled", async () => isOver || ((await isSilent(task, turn)) && cancel(task)));
        const { structuredContent, isError = false } = await ended;
        const got = structuredContent as { answer: string; status: string; error?: { code: string } };
        // What a person leaves open is told as a question, although the cancel has ended it meanwhile.
        const code = got.status === "question" ? "CANCELLED" : (got.error?.code ?? null);
        const expected = {
          answer: turn.texts.filter((text) => text !== "").join("\n\n"),
          code: turn.error,
          isError: turn.error !== null,
        };
        const seen = { answer: got.answer, code, isError: isError || got.status === "question" };
        if (JSON.stringify(seen) === JSON.stringify(expected)) continue;
        t.same(seen, expected, `turn ${index} of seed ${random.seed}:\n${turn.message}`);
        return;
      }
      t.pass(`${TURNS} turns`);
    },
  );

/** Whether the last text before the silence has come. */
async function isSilent(task: string, { texts }: RandomTurn): Promise<boolean> {
  const { body } = await engine.call(`/execute/replay?task_id=${task}`);
  const stopped = (body.events as { event: string; data: { block_type?: string } }[]).filter(
    ({ event, data }) => event === "content_block_stop" && data.block_type === "text",
  );
  return stopped.length >= texts.length;
}
