import t from "tap";
import type { ModelPart } from "../../../src/engine/model/model-provider.ts";
import { type Frame, openStream } from "../../helpers/engine.ts";
import {
  type Answer,
  KEY,
  engineParts,
  says,
  scriptedProvider,
  servedParts,
  testTool,
} from "../../helpers/engine-parts.ts";
import { until } from "../../helpers/until.ts";

const PIECES = ['{"te', 'xt": "a', '\\nb"}'];
const writes = (id: string, tool: string): ModelPart[] => [
  { kind: "block_start", block: "tool_use" },
  ...PIECES.map((json): ModelPart => ({ kind: "tool_input", id, tool, json })),
  { kind: "tool_use", id, tool, input: { text: "a\nb" }, rawInput: PIECES.join("") },
  { kind: "block_stop", block: "tool_use" },
];
const done: ModelPart = {
  kind: "done",
  reason: "tool_use",
  usage: { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 },
};
const headers = { "x-engine-key": KEY };
const types = (frames: readonly Frame[]) => frames.map(({ event }) => event);
const deltas = (frames: readonly Frame[]) =>
  frames.filter(({ event }) => event === "tool_input_delta").map(({ data }) => data);

async function served(t: Parameters<typeof engineParts>[0], ...answers: readonly Answer[]) {
  const save = testTool("save", async () => "saved", { input: { jsonSchema: {}, check: checkNothing } });
  const parts = engineParts(t, { provider: scriptedProvider(...answers), tools: [save] });
  const url = await servedParts(t, parts);
  const execute = (path: string, body = {}) =>
    openStream(url, path, { headers, body: { task_id: "task", message: "go", ...body } });
  const replay = (query: string) =>
    openStream(url, `/execute/replay?${query}`, { headers: { ...headers, accept: "text/event-stream" } });
  return { ...parts, execute, replay };
}

const checkNothing = (input: unknown) => ({ kind: "valid", input: input as Record<string, unknown> }) as const;

t.test("a reader that asks gets the arguments in pieces, before their call and under its id", async (t) => {
  const { execute, replay } = await served(t, () => [...writes("a", "save"), ...writes("b", "save"), done], says("ok"));
  const stream = await execute("/execute?events=tool_input");
  const frames = await stream.all();
  const calls = frames.filter(({ event }) => event === "tool_call").map(({ data }) => data);
  t.equal(calls.length, 2);
  for (const { tool_call_id: id } of calls) {
    const own = deltas(frames).filter(({ tool_call_id }) => tool_call_id === id);
    t.same(
      own.map(({ json }) => json),
      PIECES,
    );
    t.ok(own.every(({ tool }) => tool === "save"));
  }
  t.same(types(frames).slice(1, 7), [
    "content_block_start",
    ...PIECES.map(() => "tool_input_delta"),
    "content_block_stop",
    "tool_call",
  ]);
  const again = await (await replay(`turn_id=${calls[0]?.turn_id}&events=tool_input`)).all();
  t.same(
    deltas(again).map(({ json }) => json),
    [PIECES.join(""), PIECES.join("")],
    "a replay has the pieces of each call in one",
  );
  const plain = await (await replay(`turn_id=${calls[0]?.turn_id}`)).all();
  t.same(deltas(plain), []);
});

t.test("for a turn that nobody asked for, the pieces are not stored", async (t) => {
  const { execute, replay, journal } = await served(t, () => [...writes("a", "save"), done], says("ok"));
  const frames = await (await execute("/execute")).all();
  t.same(deltas(frames), []);
  const turnId = String(frames[0]?.data.turn_id);
  t.same(journal.read({ turnId, types: ["tool_input_delta"], limit: 10 }), []);
  t.same(deltas(await (await replay(`turn_id=${turnId}&events=tool_input`)).all()), []);
  const seqs = frames.map(({ data }) => data.seq);
  t.equal(seqs.at(-1) - seqs[0], frames.length - 1, "without a gap");
});

t.test("pieces are stored for a second reader, and go on when the one that asked is gone", async (t) => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const after = (at: number, id: string) =>
    async function* (): AsyncGenerator<ModelPart> {
      await gates[at]?.promise;
      yield* [...writes(id, "save"), done];
    };
  const { execute, replay, journal, runner } = await served(t, after(0, "a"), after(1, "b"), says("ok"));
  const first = await execute("/execute");
  const turnId = String((await first.first("thread_lifecycle")).data.turn_id);
  const second = await replay(`turn_id=${turnId}&follow=true&events=tool_input`);
  await second.first("thread_lifecycle");
  gates[0]?.resolve();
  await second.first("tool_result");
  second.cut();
  await until("only one reader is left", () => journal.readerCount() === 1);
  gates[1]?.resolve();
  const frames = await first.all();
  t.same(deltas(frames), [], "the first reader gets none");
  t.notOk(runner.isRunning(turnId));
  t.equal(deltas(await (await replay(`turn_id=${turnId}&events=tool_input`)).all()).length, 2);
});
