import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import type { ModelPart, ToolOutcome } from "../../../src/engine/model/model-provider.ts";
import { ToolFailed } from "../../../src/engine/tools/tool.ts";
import { calls, engineParts, says, scriptedProvider, testTool } from "../../helpers/engine-parts.ts";
import { until } from "../../helpers/until.ts";

type Told = readonly { event: string; data: Record<string, unknown> }[];
const only = (events: Told, type: string) => events.filter(({ event }) => event === type).map(({ data }) => data);

t.test(
  "calls of one step run in parallel up to the limit, with results as they finish and history in call order",
  async (t) => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    const wait = testTool("wait", async ({ n }) => {
      most = Math.max(most, ++running);
      // The first call ends last; none ends before as many run as may.
      await until("its turn to end", () => most === 3 && (n !== 5 || done.length === 4));
      running--;
      done.push(Number(n));
      return n;
    });
    const ids = [5, 4, 3, 2, 1];
    const provider = scriptedProvider(
      calls(...ids.map((n): [string, string, { n: number }] => [`c${n}`, "wait", { n }])),
      says("done"),
    );
    const parts = engineParts(t, { provider, tools: [wait], concurrency: 3 });
    const events = await parts.turn("cap");
    t.equal(most, 3, "never more than the cap");
    const finished = only(events, "tool_result").map(({ tool_call_id: id }) => id);
    t.equal(finished.length, 5);
    t.equal(finished.at(-1), "c5", "results come as the calls end");
    const told = provider.requests[1]?.messages.at(-1);
    t.equal(told?.role, "tool");
    t.strictSame(
      told?.role === "tool" && told.results.map(({ id, output }) => [id, output]),
      ids.map((n) => [`c${n}`, n]),
    );
  },
);

t.test("calls that write the same resource run in order, others in parallel", async (t) => {
  const log: string[] = [];
  const write = testTool(
    "write",
    async ({ n }) => {
      log.push(`begin ${String(n)}`);
      await sleep(n === 1 ? 40 : 5);
      log.push(`end ${String(n)}`);
    },
    { readOnly: false, resources: ({ n }) => [Number(n) < 3 ? "shared" : "own"] },
  );
  const provider = scriptedProvider(
    calls(["a", "write", { n: 1 }], ["b", "write", { n: 2 }], ["c", "write", { n: 3 }]),
    says("done"),
  );
  await engineParts(t, { provider, tools: [write] }).turn("order");
  t.strictSame(
    log.filter((entry) => !entry.includes("3")),
    ["begin 1", "end 1", "begin 2", "end 2"],
  );
  t.ok(log.indexOf("end 3") < log.indexOf("end 1"));
});

t.test("an invalid call is reported to the model and never fails the turn", async (t) => {
  const slow = testTool("slow", (_input, { signal }) => sleep(60_000, undefined, { signal }));
  const refuses = testTool("refuses", () => Promise.reject(new ToolFailed("not today")));
  const breaks = testTool("breaks", () => Promise.reject(new Error("secret of ours")));
  const deaf = testTool("deaf", () => new Promise(() => undefined));
  const provider = scriptedProvider(
    calls(
      ["1", "constructor", {}],
      ["2", "slow", "{broken"],
      ["3", "slow", { n: "text" }],
      ["4", "slow", {}],
      ["5", "refuses", {}],
      ["6", "breaks", {}],
      ["7", "deaf", {}],
    ),
    says("I see"),
  );
  const parts = engineParts(t, { provider, tools: [slow, refuses, breaks, deaf], toolTimeoutMs: 100 });
  const events = await parts.turn("wrong");
  t.match(events.at(-1)?.data, { phase: "completed" });
  const errors = new Map(only(events, "tool_result").map(({ tool_call_id: id, error }) => [id, error]));
  t.match(errors.get("1"), /unknown tool: constructor/);
  t.match(errors.get("2"), /not valid JSON/);
  t.match(errors.get("3"), /invalid arguments: n/);
  t.match(errors.get("4"), /TIMEOUT/);
  t.equal(errors.get("5"), "not today");
  t.notMatch(errors.get("6"), /secret/);
  t.match(errors.get("7"), /TIMEOUT/, "a tool that heeds no signal is left behind");
  const results = provider.requests[1]?.messages.at(-1);
  t.ok(results?.role === "tool" && results.results.every(({ isError }: ToolOutcome) => isError));
});

t.test("cancelling a turn aborts its running calls, keeps finished ones, and gives each a result", async (t) => {
  let aborted = false;
  const quick = testTool("quick", async () => "fine");
  const slow = testTool("slow", async (_input, { signal }) => {
    signal.addEventListener("abort", () => (aborted = true));
    await sleep(60_000, undefined, { signal });
  });
  const provider = scriptedProvider(calls(["q", "quick", {}], ["s", "slow", {}]), says("again"));
  const parts = engineParts(t, { provider, tools: [quick, slow] });
  const over = parts.turn("cut");
  await until(
    "the quick one is done",
    () => parts.journal.read({ taskId: "cut", types: ["tool_result"], limit: 1 }).length > 0,
  );
  t.ok(parts.runner.cancel("cut"));
  const events = await over;
  t.ok(aborted);
  t.strictSame(
    only(events, "tool_result").map(({ tool_call_id: id, error }) => [id, error === null]),
    [
      ["q", true],
      ["s", false],
    ],
  );
  t.match(events.at(-1), { event: "error", data: { error: "CANCELLED" } });
  await parts.turn("cut", "and now?");
  const messages = provider.requests[1]?.messages ?? [];
  t.match(messages, [
    { role: "user" },
    { role: "assistant" },
    {
      role: "tool",
      results: [
        { id: "q", output: "fine", isError: false },
        { id: "s", isError: true },
      ],
    },
    { role: "user", text: "and now?" },
  ]);
});

t.test(
  "the same call with the same result gets a hint from the third time and ends the turn at the fifth",
  async (t) => {
    const same = testTool("same", async () => "nothing new");
    const provider = scriptedProvider(...Array.from({ length: 9 }, (_, n) => calls([`c${n}`, "same", { n: 1 }])));
    const events = await engineParts(t, { provider, tools: [same] }).turn("loop");
    t.match(events.at(-1), { event: "error", data: { error: "LOOP_DETECTED" } });
    t.equal(provider.requests.length, 5);
    const outputs = provider.requests.map(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool" ? String(last.results[0]?.output) : "";
    });
    t.strictSame(
      outputs.map((output) => output.includes("several times")),
      [false, false, false, true, true],
    );
  },
);

t.test("arguments nested 20,000 deep are invalid input, and the turn continues", async (t) => {
  const rawInput = `{"n":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const deep = (): ModelPart[] => [
    { kind: "block_start", block: "tool_use" },
    { kind: "tool_use", id: "d", tool: "any", input: JSON.parse(rawInput) as Record<string, unknown>, rawInput },
    { kind: "block_stop", block: "tool_use" },
    { kind: "done", reason: "tool_use", usage: { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 } },
  ];
  const any = testTool("any", async () => "ran");
  const events = await engineParts(t, { provider: scriptedProvider(deep, says("done")), tools: [any] }).turn("deep");
  const [result] = only(events, "tool_result");
  t.match(result, {
    tool_call_id: "d",
    output: null,
    error: /^invalid arguments: not valid JSON, an object of at most 64 levels: /,
  });
  t.ok(String(result?.["error"]).length < 1000, "it shows only the beginning of what came");
  t.match(events.at(-1), { data: { phase: "completed" } });
});

t.test("a result nested 20,000 deep is a tool error, and the turn continues", async (t) => {
  const deep = testTool("deep", async () => JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown);
  const provider = scriptedProvider(calls(["d", "deep", {}]), says("done"));
  const events = await engineParts(t, { provider, tools: [deep] }).turn("deep");
  t.match(only(events, "tool_result"), [{ output: null, error: "the result is nested deeper than 64 levels" }]);
  t.match(events.at(-1), { data: { phase: "completed" } });
});

const equalCalls = (step: number, count: number) =>
  calls(...Array.from({ length: count }, (_, n) => [`s${step}c${n}`, "same", { n: 1 }] as const));

t.test("identical calls of one answer are not a loop", async (t) => {
  const same = testTool("same", async () => "nothing new");
  const provider = scriptedProvider(equalCalls(1, 7), says("done"));
  const events = await engineParts(t, { provider, tools: [same] }).turn("batch");
  t.match(events.at(-1), { data: { phase: "completed" } });
  t.notMatch(JSON.stringify(provider.requests[1]?.messages), /several times/);
});

t.test("an answer with two identical calls counts once towards a loop", async (t) => {
  const same = testTool("same", async () => "nothing new");
  const provider = scriptedProvider(...Array.from({ length: 9 }, (_, step) => equalCalls(step, 2)));
  const events = await engineParts(t, { provider, tools: [same] }).turn("loop");
  t.match(events.at(-1), { event: "error", data: { error: "LOOP_DETECTED" } });
  t.equal(provider.requests.length, 5);
});

t.test("no event is emitted and no call starts while a call waits for a human", async (t) => {
  let ended = false;
  const asks = testTool("asks", (_, context) =>
    context.ask({ question: "May it?", options: ["yes"], allowFreeText: false }),
  );
  const quick = testTool("quick", async () => {
    await until("somebody is asked", () => parts.humanRequests.pending().length > 0);
    ended = true;
    return "quick";
  });
  const late = testTool("late", () => Promise.resolve("late"));
  const provider = scriptedProvider(calls(["a", "asks", {}], ["b", "quick", {}], ["c", "late", {}]), says("done"));
  const parts = engineParts(t, { provider, tools: [asks, quick, late], concurrency: 2 });
  const turn = parts.turn("gate");
  const request = await until("the other call has ended", () => (ended ? parts.humanRequests.pending()[0] : undefined));
  parts.humanRequests.answer(request.request_id, "yes");
  const events = await turn;
  const types = events.map(({ event }) => event);
  t.equal(types.indexOf("hitl_resolved"), types.indexOf("hitl_request") + 1, types.join(" "));
  t.equal(only(events, "tool_result").length, 3);
});

t.test("the second of two calls that ask a human waits for the first answer", async (t) => {
  const asks = testTool("asks", ({ n }, context) =>
    context.ask({ question: `May ${String(n)}?`, options: ["yes"], allowFreeText: false }),
  );
  const provider = scriptedProvider(calls(["a", "asks", { n: 1 }], ["b", "asks", { n: 2 }]), says("done"));
  const parts = engineParts(t, { provider, tools: [asks] });
  const turn = parts.turn("lane");
  for (let question = 1; question <= 2; question++) {
    const [request, ...more] = await until("somebody is asked", () => {
      const pending = parts.humanRequests.pending();
      return pending.length > 0 ? pending : undefined;
    });
    t.same(more, [], "one at a time");
    parts.humanRequests.answer(request?.request_id ?? "", "yes");
  }
  const types = (await turn).map(({ event }) => event).filter((type) => type.startsWith("hitl_"));
  t.same(types, ["hitl_request", "hitl_resolved", "hitl_request", "hitl_resolved"]);
});

t.test("a result that is JSON text has its value too, if its tool is of the catalog or of a server", async (t) => {
  const results: readonly (readonly [string, unknown, object | undefined])[] = [
    ["list", ' [1,{"a":null}]\n', [1, { a: null }]],
    ["object", '{"__proto__":1,"a":"\u00fc"}', JSON.parse('{"__proto__":1,"a":"\u00fc"}')],
    ["number", "42", undefined],
    ["broken", "{not json}", undefined],
    ["deep", `${"[".repeat(65)}${"]".repeat(65)}`, undefined],
    ["no_text", { a: 1 }, undefined],
    ["long", `["${"x".repeat(60_000)}"]`, undefined],
  ];
  const tools = results.map(([name, output]) => testTool(name, () => Promise.resolve(output), { source: "catalog" }));
  const own = testTool("own", () => Promise.resolve("[1]"));
  const provider = scriptedProvider(
    calls(...[...results.map(([name]) => name), "own"].map((name): [string, string, {}] => [name, name, {}])),
    says("done"),
  );
  const parts = engineParts(t, { provider, tools: [...tools, own] });
  const told = only(await parts.turn("json"), "tool_result");
  for (const [name, output, value] of results) {
    const data = told.find(({ tool }) => tool === name);
    t.strictSame(data?.["value"], value, name);
    if (name !== "long") t.strictSame(data?.["output"], output, `${name} is unchanged`);
  }
  t.notOk("value" in (told.find(({ tool }) => tool === "own") ?? {}));
  const seen = provider.requests[1]?.messages.at(-1);
  t.notMatch(JSON.stringify(seen), '"value"', "the model is shown the text only");
});
