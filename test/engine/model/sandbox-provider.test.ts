import t from "tap";
import type { ModelMessage, ModelPart, ModelRequest, ToolOutcome } from "../../../src/engine/model/model-provider.ts";
import { sandboxProvider } from "../../../src/engine/model/sandbox-provider.ts";
import { outline, partsOf } from "./adapter.ts";

const TOOLS = ["list_files", "write_file", "ask_human"];

const request = (messages: readonly ModelMessage[], tools: readonly string[] = TOOLS): ModelRequest => ({
  model: "sandbox",
  system: "Be brief.",
  messages,
  tools: tools.map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
  thinking: true,
  maxOutputTokens: 1000,
});

const told = (messages: readonly ModelMessage[], tools?: readonly string[]) =>
  partsOf(sandboxProvider, request(messages, tools));
const say = (text: string): ModelMessage => ({ role: "user", text });
const withoutIds = (parts: readonly ModelPart[]) =>
  outline(parts).map((line) => line.replace(/call_[0-9a-f]+_\d+ /, "").replace(/^done: (\w+).*/, "done: $1"));

/** Answers every call of a script as an engine would, until it is done. */
async function play(messages: ModelMessage[], outputs: Readonly<Record<string, unknown>>, tools?: readonly string[]) {
  const steps: string[][] = [];
  for (let step = 0; step < 10; step++) {
    const parts = await told(messages, tools);
    steps.push(withoutIds(parts));
    const calls = parts.filter((part) => part.kind === "tool_use");
    if (calls.length === 0) return steps;
    const results: ToolOutcome[] = calls.map(({ id, tool }) => ({ id, tool, output: outputs[tool], isError: false }));
    messages.push(
      { role: "assistant", content: calls.map((call) => ({ ...call, input: call.input ?? {} })) },
      { role: "tool", results },
    );
  }
  throw new Error("the script never ends");
}

t.test("runs a script in order, waiting for results after each run of calls", async (t) => {
  const script = [
    "/think first",
    "/say second",
    '/tool list_files {"path":"."}',
    '/tool write_file {"path":"a"}',
    "third, said as it is",
    "/ask Which? | red | green",
    "/say last",
  ];
  t.strictSame(await play([say(script.join("\n"))], { list_files: {}, write_file: {}, ask_human: {} }), [
    [
      "thinking:first",
      "text:second",
      'tool_use:list_files {"path":"."}',
      'tool_use:write_file {"path":"a"}',
      "done: tool_use",
    ],
    [
      "text:third, said as it is",
      'tool_use:ask_human {"question":"Which?","options":["red","green"]}',
      "done: tool_use",
    ],
    ["text:last", "done: stop"],
  ]);
});

t.test("answers a plain message with every kind of event, and later ones from the conversation", async (t) => {
  const messages = [say("tidy up my notes")];
  const steps = await play(messages, { list_files: { entries: ["notes.md (3)"] }, ask_human: { answer: "detailed" } });
  t.equal(steps.length, 3);
  t.match(steps[0], [
    /^thinking:.*tidy up my notes/,
    /^text:I am the sandbox model/,
    /^tool_use:list_files/,
    /tool_use$/,
  ]);
  t.match(steps[1], [/^tool_use:ask_human .*"options"/, "done: tool_use"]);
  t.match(steps[2], [/^text:.*detailed.*tidy up my notes.*notes\.md/, "done: stop"]);
  const again = withoutIds(await told([...messages, say("thanks")]));
  t.equal(again.length, 2);
  t.match(again[0], /thanks.*tidy up my notes/);
  t.notMatch(again[0], /I am the sandbox model/);
});

t.test("calls only offered tools", async (t) => {
  t.match(await play([say("hello")], {}, []), [[/^thinking/, /^text:I am the sandbox model/, "done: stop"]]);
  t.match(await play([say("hello")], { list_files: { entries: [] } }, ["list_files"]), [
    [/^thinking/, /^text/, /^tool_use:list_files/, "done: tool_use"],
    [/^text:.*empty/, "done: stop"],
  ]);
  t.match(await play([say("/tool nothing {}\n/say on")], {}), [[/^text:.*no tool “nothing”/, "text:on", "done: stop"]]);
});

t.test("tolerates unexpected results", async (t) => {
  for (const output of [null, "no", { entries: null }, 7]) {
    const steps = await play([say("hello")], { list_files: output, ask_human: output });
    t.match(steps.at(-1)?.at(-1), "done: stop", JSON.stringify(output));
  }
  const tooMany = [
    say("/tool list_files {}\n/say end"),
    { role: "tool", results: ["a", "b"].map((id) => ({ id, tool: "list_files", output: "", isError: false })) },
  ] as const;
  t.strictSame(withoutIds(await told(tooMany)), ["done: stop"]);
});

t.test("fails as scripted", async (t) => {
  const failing: readonly [string, object][] = [
    ["/fail rate-limited 7", { kind: "rate_limited", retryAfterS: 7 }],
    ["/fail rate-limited", { kind: "rate_limited", retryAfterS: null }],
    ["/fail provider", { kind: "permanent", status: 500 }],
    ["/fail mid-stream", { kind: "transient" }],
    ["/fail too-long", { kind: "too_long" }],
  ];
  for (const [message, failure] of failing) t.match((await told([say(message)])).at(-1), { kind: "failed", failure });
  t.match(outline(await told([say("/say so far\n/fail mid-stream")])), ["text:so far", /^text:./, "failed: transient"]);
});

t.test("stops at once when the turn is aborted", async (t) => {
  for (const message of ["/fail silent", "/slow 600000", "/stream 100 0.001"]) {
    const abort = new AbortController();
    const parts = partsOf(sandboxProvider, request([say(message)]), abort.signal);
    setImmediate(() => abort.abort());
    t.match((await parts).at(-1), { kind: "failed", failure: { kind: "aborted" } }, message);
  }
});

t.test("streams the scripted amount and yields to the event loop", async (t) => {
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  t.teardown(() => clearInterval(ticking));
  const parts = await told([say("/stream 20000")]);
  t.equal(parts.filter(({ kind }) => kind === "text").length, 20_000);
  t.ok(ticks > 0);
  t.equal((await told([say("/stream 30 1000")])).filter(({ kind }) => kind === "text").length, 30);
});

t.test("is deterministic, counts tokens and reports scripted usage", async (t) => {
  const messages = [say("/tool list_files {}"), say("hello")];
  t.strictSame(await told(messages), await told(messages));
  const ids = await Promise.all(
    ["/tool list_files {}", "/tool  list_files {}"].map(async (text) => JSON.stringify(await told([say(text)]))),
  );
  t.not(ids[0], ids[1]);
  const usageOf = async (text: string) => (await told([say(text)])).find((part) => part.kind === "done")?.usage;
  const short = await usageOf("/say hi");
  const long = await usageOf(`/say ${"hi ".repeat(1000)}`);
  t.ok(short && long && long.inputTokens > short.inputTokens + 500 && long.outputTokens > short.outputTokens + 500);
  t.strictSame(await usageOf("/usage 10 5 2"), { inputTokens: 10, outputTokens: 5, cacheHitTokens: 2 });
});

t.test("reports mistakes in a script", async (t) => {
  t.match(withoutIds(await told([say("/tool list_files {broken")])), ["tool_use:list_files null", "done: tool_use"]);
  t.match(withoutIds(await told([say("/dance")])), [/knows no command \/dance/, "done: stop"]);
  t.match(withoutIds(await told([say("/say")])), ["text:", "done: stop"]);
  t.match(withoutIds(await told([say("")])).at(-1), "done: tool_use");
  t.match(withoutIds(await told([])).at(-1), "done: tool_use");
});
