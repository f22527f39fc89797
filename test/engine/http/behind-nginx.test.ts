import t, { type Test } from "tap";
import { openStream } from "../../helpers/engine.ts";
import {
  type Answer,
  KEY,
  calls,
  engineParts,
  says,
  scriptedProvider,
  servedParts,
  testTool,
} from "../../helpers/engine-parts.ts";
import { startNginx, withNginx } from "../../helpers/nginx.ts";
import { until } from "../../helpers/until.ts";

const READ_TIMEOUT_S = 3;
const SILENCE_MS = READ_TIMEOUT_S * 1000 * 2;
const WORDS = 20;

/** In front of an engine as anybody would put it, except that it loses patience sooner than after a minute. */
const inFront = (url: string) => `location / { proxy_pass ${url}; proxy_read_timeout ${READ_TIMEOUT_S}s; }`;

const execute = (url: string, body: Readonly<Record<string, unknown>>) =>
  openStream(url, "/execute", { headers: { "x-engine-key": KEY }, body: { task_id: "t1", message: "go", ...body } });

t.test("behind nginx each word comes through before the next is written", withNginx, async (t) => {
  let read = 0;
  const oneByOne: Answer = async function* () {
    yield { kind: "block_start", block: "text" };
    for (let word = 0; word < WORDS; word++) {
      yield { kind: "text", text: `word${word} ` };
      // In a block of several this one would wait for ever.
      await until(`the reader has word ${word}`, () => read > word);
    }
    yield { kind: "block_stop", block: "text" };
    yield { kind: "done", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 } };
  };
  const url = await servedParts(t, engineParts(t, { provider: scriptedProvider(oneByOne) }));
  const stream = await execute(await startNginx(t, inFront(url)), {});
  const words = () => stream.frames.filter(({ event }) => event === "text_delta").length;
  while (read < WORDS) read = await until("another word comes", () => (words() > read ? words() : null));
  t.match((await stream.all()).at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
});

/** A turn whose tool says nothing for twice as long as nginx waits. */
async function silentTurn(test: Test, heartbeatMs: number) {
  const over = Promise.withResolvers<void>();
  const silent = testTool("silent", async () => {
    await over.promise;
    return { output: "slept" };
  });
  const provider = scriptedProvider(calls(["c1", "silent", {}]), says("Awake."));
  const parts = engineParts(test, { provider, tools: [silent], toolTimeoutMs: 60_000 });
  const url = await startNginx(test, inFront(await servedParts(test, parts, { heartbeatMs })));
  const stream = await execute(url, {});
  const timer = setTimeout(over.resolve, SILENCE_MS);
  test.teardown(() => clearTimeout(timer));
  return { url, stream };
}

t.test(
  "heartbeats keep a stream open through nginx while a tool is silent for longer than it waits",
  withNginx,
  async (t) => {
    const { stream } = await silentTurn(t, 200);
    t.match((await stream.all()).at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
    const beats = stream.frames.filter(({ event }) => event === "heartbeat").length;
    t.ok(beats >= 10, `${beats} heartbeats came through`);
  },
);

t.test("a stream without heartbeats is cut by nginx, and replay through it has the rest", withNginx, async (t) => {
  const { url, stream } = await silentTurn(t, 60_000);
  await until("nginx gives up", () => stream.ended, SILENCE_MS * 2);
  const seq = stream.frames.at(-1)?.data.seq;
  t.equal(stream.frames.at(-1)?.event, "usage", "the silence had begun");
  const rest = await until("the turn is over, without a reader", async () => {
    const headers = { "x-engine-key": KEY, accept: "text/event-stream" };
    const frames = await (await openStream(url, `/execute/replay?task_id=t1&after=${seq}`, { headers })).all();
    return frames.some(({ data }) => data.phase === "completed") ? frames : null;
  });
  t.equal(rest[0]?.event, "tool_result");
  t.equal(rest[0]?.data.seq, seq + 1, "nothing is missing, nothing comes twice");
});

t.test("a client that leaves nginx has left the engine", withNginx, async (t) => {
  let ended = false;
  const silent = testTool("silent", async (_input, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    ended = true;
    return { output: "ended" };
  });
  const parts = engineParts(t, { provider: scriptedProvider(calls(["c1", "silent", {}])), tools: [silent] });
  const url = await startNginx(t, inFront(await servedParts(t, parts)));
  const stream = await execute(url, { on_disconnect: "cancel" });
  await stream.first("tool_call");
  stream.cut();
  t.ok(await until("the turn is cancelled", () => ended));
});
