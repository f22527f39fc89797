import t, { type Test } from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { createOrchestratorClient } from "../../src/client/orchestrator-client.ts";
import { TurnResultBuilder } from "../../src/client/turn-result.ts";
import { startFakeServer } from "../helpers/fake-server.ts";
import { COMPLETED, STARTED, type Sent, frames, open, text } from "./wire.ts";

const begin = (index: number, type: "text" | "thinking", more: Record<string, unknown> = {}): Sent => [
  "content_block_start",
  { block_index: index, block_type: type, ...more },
];
const thought = (words: string): Sent => ["thinking_delta", { text: words }];

async function resultOf(t: Test, events: readonly Sent[]) {
  const server = await startFakeServer(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    response.end(frames([STARTED, ...events, COMPLETED]));
  });
  return createEngineClient({ url: server.url, key: "k" }).execute({ message: "hi", taskId: "t" }).result();
}

t.test("the texts of several blocks are paragraphs, and do not run together", async (t) => {
  const { text: said, thinking } = await resultOf(t, [
    begin(0, "thinking"),
    thought("First."),
    begin(1, "text"),
    text("I look "),
    text("it up."),
    begin(2, "thinking"),
    thought("Then."),
    begin(3, "text"),
    begin(4, "text"),
    text("Found it."),
  ]);
  t.equal(said, "I look it up.\n\nFound it.");
  t.equal(thinking, "First.\n\nThen.");
});

t.test("a text that ends with a line break gets no more than the blank line", async (t) => {
  const blocks = [begin(0, "text"), text("one\n"), begin(1, "text"), text("two\n\n"), begin(2, "text"), text("three")];
  t.equal((await resultOf(t, blocks)).text, "one\n\ntwo\n\nthree");
});

t.test("what a restart has made void leaves no blank line behind", async (t) => {
  const blocks = [begin(0, "text"), text("cut o"), begin(1, "text", { replaces_from: 0 }), text("whole")];
  t.equal((await resultOf(t, blocks)).text, "whole");
});

t.test("a turn without an end is not kept without an end", async (t) => {
  const builder = new TurnResultBuilder();
  const megabyte = "x".repeat(1024 * 1024);
  for (let count = 0; count < 70; count++) builder.add({ event: "text_delta", data: { text: megabyte } } as never);
  t.throws(() => builder.build({ taskId: "t", turnId: null }), { code: "BAD_ANSWER", message: /longer than 64 MiB/ });
});

t.test("a key or an id that was left out is refused before any call", async (t) => {
  const url = "http://127.0.0.1:1";
  const noKey = { code: "INVALID_ARGUMENT", message: /ey: expected visible ASCII/ };
  t.throws(() => createEngineClient({ url } as never), noKey);
  t.throws(() => createOrchestratorClient({ url } as never), noKey);
  const engine = createEngineClient({ url, key: "k" });
  const noTask = { code: "INVALID_ARGUMENT", message: /^taskId: expected a string, as in execute\(\{/ };
  t.throws(() => engine.execute({ task_id: "t1", message: "Hello" } as never), noTask);
  t.throws(() => engine.execute(undefined as never), { message: /^taskId: expected an object with taskId/ });
  t.throws(() => engine.resume({ taskId: "t1" } as never), { message: /^turnId: / });
});

t.test("an id that is no text is refused in words that say how it is given", async (t) => {
  const orchestrator = createOrchestratorClient({ url: "http://127.0.0.1:1", platformKey: "k" });
  const wrong = { userId: "alice" } as never;
  const refusal = { code: "INVALID_ARGUMENT", message: "userId: expected a string, got an object" };
  for (const method of ["get", "start", "stop", "rotateKey", "destroy", "wait"] as const)
    await t.rejects(async () => orchestrator[method](wrong), refusal);
  for (const call of ["provision", "admit"] as const) {
    const message = `userId: expected an object with userId, as in ${call}({ userId: "alice" }), got a string`;
    await t.rejects(async () => orchestrator[call]("alice" as never), { code: "INVALID_ARGUMENT", message });
    await t.rejects(async () => orchestrator[call]({} as never), { code: "INVALID_ARGUMENT" });
  }
});
