import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { ASK_FOR_RESULT } from "../../../src/engine/agent/turn-result.ts";
import { TurnList } from "../../../src/engine/turns/turn-list.ts";
import { TurnTable } from "../../../src/engine/store/turns.ts";
import { ToolFailed } from "../../../src/engine/tools/tool.ts";
import { type Parts, calls, engineParts, says, scriptedProvider, testTool } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, people: { type: "integer" } },
  required: ["city", "people"],
  additionalProperties: false,
};
const GOOD = { city: "Bonn", people: 336_000 };
const submits = (id: string, input: Readonly<Record<string, unknown>> | string = GOOD) =>
  calls([id, "submit_result", input]);
const look = testTool("look", () => Promise.resolve("seen"));
const breaks = testTool("breaks", () => Promise.reject(new ToolFailed("it is broken")));
type Events = Awaited<ReturnType<Parts["turn"]>>;
const resultOf = (events: Events, id: string) =>
  events.find(({ event, data }) => event === "tool_result" && data["tool_call_id"] === id)?.data;
const run = (parts: Parts, message = "go") => parts.turn("task", message, { output_schema: SCHEMA });

t.test("a submitted result ends the turn, and is in its last event and its record", async (t) => {
  const provider = scriptedProvider(calls(["c", "look", {}]), submits("s"), says("never asked"));
  const parts = engineParts(t, { provider, tools: [look] });
  const events = await run(parts);
  t.match(events.at(-1), { event: "thread_lifecycle", data: { phase: "completed", output: GOOD } });
  t.match(resultOf(events, "s"), { output: "accepted", error: null });
  t.equal(provider.requests.length, 2, "no model call follows");
  t.match(provider.requests[0]?.tools, [
    { name: "look" },
    { name: "submit_result", inputSchema: SCHEMA, strict: true },
  ]);
  t.strictSame(provider.requests[1]?.tools, provider.requests[0]?.tools, "the tools are the same from call to call");
  const list = new TurnList({ turns: new TurnTable(parts.store), slots: parts.slots });
  const turnId = String(events[0]?.data["turn_id"]);
  t.match(list.find(turnId), { state: "completed", output: GOOD });
  t.notOk(list.page({ taskId: undefined, before: null, limit: 1 }).items.some((turn) => "output" in turn));
  const row = parts.store.db.prepare("select question, answer, trust from episodes").get();
  t.match(row, { question: "go", answer: JSON.stringify(GOOD) }, "it is the answer in memory");
});

t.test("a turn without a schema has neither the tool nor an output", async (t) => {
  const provider = scriptedProvider(submits("s"), says("fine"));
  const parts = engineParts(t, { provider, tools: [look] });
  const events = await parts.turn("task");
  t.match(resultOf(events, "s"), { error: "unknown tool: submit_result" });
  t.notOk("output" in (events.at(-1)?.data ?? {}));
  t.match(events.at(-1)?.data, { phase: "completed" });
  const found = new TurnList({ turns: new TurnTable(parts.store), slots: parts.slots });
  t.notOk("output" in (found.find(String(events[0]?.data["turn_id"])) ?? {}));
});

t.test("an invalid result is repaired with the validator's message", async (t) => {
  const provider = scriptedProvider(submits("a", { city: "Bonn" }), submits("b", "{broken"), submits("c"));
  const events = await run(engineParts(t, { provider }));
  t.match(resultOf(events, "a"), { error: /invalid arguments: .*required property "people"/ });
  t.match(resultOf(events, "b"), { error: /not valid JSON/ });
  t.match(provider.requests[1]?.messages.at(-1), { results: [{ output: /required property "people"/ }] });
  t.match(events.at(-1)?.data, { phase: "completed", output: GOOD });
});

t.test("after two repairs the turn ends with OUTPUT_INVALID and keeps its texts", async (t) => {
  const bad = (id: string) => () => [...says("almost")().slice(0, 3), ...submits(id, { city: 1 })()];
  const provider = scriptedProvider(bad("a"), bad("b"), bad("c"), says("never asked"));
  const parts = engineParts(t, { provider });
  const events = await run(parts);
  t.match(events.at(-1), {
    event: "error",
    data: { error: "OUTPUT_INVALID", message: /no result matches the output schema: .*#/, details: { repairs: 2 } },
  });
  t.equal(provider.requests.length, 3);
  t.notOk(events.some(({ data }) => "output" in data && data["phase"] !== undefined));
  const answers = parts.messages.ofTask("task").filter(({ role }) => role === "assistant");
  t.match(answers.at(-1)?.content, [{ kind: "text", text: "almost" }, { kind: "tool_use" }]);
  const next = await parts.turn("task", "and now?");
  t.match(next.at(-1)?.data, { phase: "completed" }, "the conversation goes on");
});

t.test("a model that ends without a result is asked for it, which counts as a repair", async (t) => {
  const provider = scriptedProvider(says("It is Bonn."), says("As I said."), submits("s"), says("fine"));
  const parts = engineParts(t, { provider });
  const events = await run(parts);
  t.match(events.at(-1)?.data, { phase: "completed", output: GOOD });
  const asked = { role: "user", text: ASK_FOR_RESULT, ofEngine: true };
  t.match(provider.requests[1]?.messages.slice(1), [{ role: "assistant" }, asked]);
  const count = parts.store.db.prepare("select message_count as n from tasks").get()?.["n"];
  t.equal(count, 2, "the task has the user's message and the answer");
  await parts.turn("task", "thanks");
  t.strictSame(
    provider.requests[3]?.messages.slice(0, 5),
    provider.requests[2]?.messages,
    "what the model was asked stays in the conversation",
  );
  const row = parts.store.db.prepare("select question from episodes").get();
  t.match(row, { question: "go" }, "it is no word of the user");

  const silent = scriptedProvider(says("no"), says("no"), says("no"), says("never asked"));
  const ended = await run(engineParts(t, { provider: silent, dataDir: freshFolder(t) }));
  t.match(ended.at(-1)?.data, { error: "OUTPUT_INVALID", message: /ended without a result/ });
  t.equal(silent.requests.length, 3);
});

t.test("a result is taken after the other calls of its step, and not when one of them failed", async (t) => {
  const order: string[] = [];
  const slow = testTool("slow", async () => void order.push("slow"));
  const provider = scriptedProvider(
    calls(["s1", "submit_result", GOOD], ["b", "breaks", {}]),
    calls(["s2", "submit_result", GOOD], ["c", "slow", {}], ["s3", "submit_result", { city: "Ulm", people: 1 }]),
  );
  const events = await run(engineParts(t, { provider, tools: [slow, breaks] }));
  t.match(resultOf(events, "s1"), { error: /breaks failed in this step; submit the result again/ });
  t.match(resultOf(events, "s2"), { error: null });
  t.match(resultOf(events, "s3"), { error: /another call of this step has submitted the result/ });
  t.strictSame(order, ["slow"]);
  const results = events.filter(({ event }) => event === "tool_result").map(({ data }) => data["tool_call_id"]);
  t.strictSame(results, ["b", "s1", "c", "s2", "s3"]);
  t.match(events.at(-1)?.data, { phase: "completed", output: GOOD }, "the first one counts");
});

t.test("a pattern that backtracks without end is a refused result, and stalls nothing", async (t) => {
  const schema = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
  const bad = { text: `${"a".repeat(100)}!` };
  const provider = scriptedProvider(submits("a", bad), submits("b", { text: "aaa" }));
  const parts = engineParts(t, { provider });
  const events = await parts.turn("task", "go", { output_schema: schema });
  t.match(resultOf(events, "a"), { error: /takes longer than 100 ms/ });
  t.match(events.at(-1)?.data, { phase: "completed", output: { text: "aaa" } });
});

t.test("the limit of model calls holds for repairs too", async (t) => {
  const provider = scriptedProvider(says("no"), submits("s"));
  const parts = engineParts(t, { provider });
  const events = await parts.turn("task", "go", { output_schema: SCHEMA, max_steps: 1 });
  t.match(events.at(-1)?.data, { error: "STEP_LIMIT" });
});

/** The engine's folder as it is if the engine is killed now. */
function killed(t: Test, parts: Parts): string {
  parts.journal.flush();
  const dataDir = freshFolder(t);
  parts.store.db.exec(`vacuum into '${join(dataDir, "engine.db")}'`);
  return dataDir;
}

t.test("a turn killed at any step goes on to the same end", async (t) => {
  const answers = [says("It is Bonn."), submits("a", { city: 1 }), calls(["c", "look", {}]), submits("s")];
  const provider = scriptedProvider(...answers);
  const parts = engineParts(t, { provider, tools: [look] });
  // A copy of the store after each transaction, as a kill at that place leaves it.
  const copies: string[] = [];
  const commit = parts.journal.commit.bind(parts.journal);
  parts.journal.commit = (work, options) => {
    commit(work, options);
    if (parts.slots.size > 0) copies.push(killed(t, parts));
  };
  const events = await run(parts);
  t.match(events.at(-1)?.data, { phase: "completed", output: GOOD });
  t.ok(copies.length >= 8, `${copies.length} places`);
  for (const dataDir of copies) {
    const { turnId, done } = storedIn(dataDir);
    const later = scriptedProvider(...answers.slice(done));
    const again = engineParts(t, { dataDir, provider: later, tools: [look] });
    again.runner.recover();
    await until("the turn is over", () => again.slots.size === 0);
    t.match(again.events(turnId).at(-1)?.data, { phase: "completed", output: GOOD });
    t.equal(later.requests.length, answers.length - done, "no answer is asked for twice");
  }
});

/** The running turn of a killed engine's store, and the number of its stored answers. */
function storedIn(dataDir: string): { readonly turnId: string; readonly done: number } {
  const store = new DatabaseSync(join(dataDir, "engine.db"), { readOnly: true });
  const turn = store.prepare("select turn_id from turns where state = 'running'").get();
  const answers = store.prepare("select count(*) as done from messages where role = 'assistant'").get();
  store.close();
  return { turnId: String(turn?.["turn_id"]), done: Number(answers?.["done"]) };
}

t.test("a turn killed after its third invalid result asks no model again", async (t) => {
  const bad = [submits("a", {}), submits("b", {}), submits("c", {})];
  const parts = engineParts(t, { provider: scriptedProvider(...bad) });
  let last = "";
  const commit = parts.journal.commit.bind(parts.journal);
  parts.journal.commit = (work, options) => {
    commit(work, options);
    if (parts.slots.size > 0) last = killed(t, parts);
  };
  await run(parts);
  const { turnId } = storedIn(last);
  const later = scriptedProvider(submits("s"));
  const again = engineParts(t, { dataDir: last, provider: later });
  again.runner.recover();
  await until("the turn is over", () => again.slots.size === 0);
  t.match(again.events(turnId).at(-1)?.data, { error: "OUTPUT_INVALID" });
  t.equal(later.requests.length, 0);
});
