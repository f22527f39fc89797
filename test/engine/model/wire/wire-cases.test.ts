import t from "tap";
import type { AssistantContent, ModelMessage, ModelTool } from "../../../../src/engine/model/model-provider.ts";
import { WireWriter } from "../../../../src/engine/model/wire/wire-call.ts";
import { wireRules } from "../../../../src/engine/model/wire/wire-rules.ts";
import { MODELS, adapterTo, partsOf, requestTo } from "../adapter.ts";
import { startUpstream, streams } from "../upstream.ts";
import { FRAMES, REMOTES } from "../wire-formats.ts";
import { Dice, hostileRequest } from "./hostile-requests.ts";
import { sentBody } from "./sent-body.ts";
import { problemsIn } from "./strict-providers.ts";

const HIGH = "\ud83d";
const signed = {
  anthropic: { signature: "SIGNED==" },
  openai: { itemId: "rs_1", reasoningEncryptedContent: "SIGNED==" },
  google: { thoughtSignature: "SIGNED==" },
  amazonBedrock: { signature: "SIGNED==" },
};
const thought = (signature?: unknown): AssistantContent => ({
  kind: "thinking",
  text: "hm",
  ...(signature !== undefined && { signature }),
});
const call = (id: string, tool: string, input = {}): AssistantContent => ({ kind: "tool_use", id, tool, input });
const asked = (...between: readonly ModelMessage[]): readonly ModelMessage[] => [
  { role: "user", text: "first" },
  ...between,
  { role: "user", text: "last" },
];
const answered = (...content: readonly AssistantContent[]) => asked({ role: "assistant", content });

const CASES: Readonly<Record<string, readonly ModelMessage[]>> = {
  "thinking that was cut off": answered(thought()),
  "a message of the user that enters after results": asked(
    { role: "assistant", content: [thought(signed), call("a", "read_file")] },
    { role: "tool", results: [{ id: "a", tool: "read_file", output: "text", isError: false }] },
    { role: "user", text: "and in German" },
    { role: "assistant", content: [{ kind: "text", text: "Gern" }] },
  ),
  "an answer that a message cut off in a call": asked(
    { role: "assistant", content: [thought(signed), { kind: "text", text: "I will" }, call("a", "read_file")] },
    { role: "tool", results: [{ id: "a", tool: "read_file", output: "it did not run", isError: true }] },
    { role: "user", text: "stop" },
    { role: "user", text: "and wait" },
  ),
  "signed thinking alone": answered(thought(signed)),
  "thinking and blank text": answered(thought(signed), { kind: "text", text: " \n" }),
  "thinking at the end": answered({ kind: "text", text: "so" }, thought(signed)),
  "thinking signed by another provider": answered(thought({ vertex: { signature: "x" } }), {
    kind: "text",
    text: "so",
  }),
  "thinking with a broken character under its signature": answered({
    ...thought(signed),
    text: HIGH,
  } as AssistantContent),
  "a call of a name that no tool can have": answered(
    call("a", "multi_tool_use.parallel"),
    call("b", "list files!"),
    call("c", ""),
  ),
  "a call named like a member of objects": answered(call("a", "constructor"), call("b", "__proto__")),
  "ids of another provider's making": answered(call("functions.x:0", "read_file"), call("a.b", "read_file")),
  "the same id twice": answered(call("a", "read_file"), call("a", "read_file")),
  "broken characters in arguments and keys": answered(call("a", "read_file", { path: HIGH, [HIGH]: [HIGH] })),
  "arguments without a bottom": answered(
    call("a", "read_file", JSON.parse(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`)),
  ),
  "more calls at once than a message takes": answered(
    ...Array.from({ length: 300 }, (_, n) => call(`c${n}`, "read_file")),
  ),
  "a result that says nothing": asked(
    { role: "assistant", content: [call("a", "read_file")] },
    { role: "tool", results: [{ id: "a", tool: "read_file", output: " ", isError: true }] },
  ),
  "a message of white space": [{ role: "user", text: " \n" }],
  "a text larger than any provider takes": asked({
    role: "assistant",
    content: [{ kind: "text", text: "x".repeat(11e6) }],
  }),
  "nothing at all": [],
  "the end of an answer and nothing behind it": [{ role: "assistant", content: [{ kind: "text", text: "so " }] }],
};

for (const [what, messages] of Object.entries(CASES)) {
  t.test(`${what}: no provider is sent what it refuses`, async (t) => {
    const problems: unknown[] = [];
    for (const remote of REMOTES) {
      for (const more of [{}, { tools: [] }]) {
        const body = await sentBody(remote, requestTo(remote, { messages, ...more }));
        problems.push(...problemsIn(remote, body).map((problem) => `${remote}: ${problem}`));
        const wanted = messages.some((message) => message.role === "user" && message.text === "last");
        if (wanted && !/first.*last/s.test(JSON.stringify(body))) problems.push(`${remote}: a question is missing`);
      }
    }
    t.same(problems, []);
  });
}

const ODD: ModelTool = {
  name: "9 odd.tool",
  description: "odd",
  inputSchema: {
    anyOf: [
      { type: "object", properties: { "filter[status]/$x y": { type: "string" } }, required: ["filter[status]/$x y"] },
      { type: "object", properties: { ["k".repeat(100)]: { type: "array" }, both: true } },
    ],
  },
};

t.test("a tool with invalid names is renamed on the wire, and called by its own names", async (t) => {
  for (const remote of REMOTES) {
    const tools = [ODD];
    const body = await sentBody(remote, requestTo(remote, { tools }));
    t.strictSame(problemsIn(remote, body), [], remote);
    const [name = "", argument = ""] = /\w*odd_tool_\w+/.exec(JSON.stringify(body)) ?? [];
    const wire = /filter_status_x_y_\w{8}/.exec(JSON.stringify(body))?.[0] ?? argument;
    const frames = FRAMES[remote].map((frame) =>
      typeof frame === "string" ? frame.replaceAll("list_files", name).replaceAll("path", wire) : frame,
    );
    if (remote === "bedrock") continue;
    const upstream = await startUpstream(t, streams(frames));
    const parts = await partsOf(adapterTo(remote, upstream.url), requestTo(remote, { tools }));
    const called = parts.find((part) => part.kind === "tool_use");
    t.match(called, { tool: "9 odd.tool", input: { "filter[status]/$x y": "." } }, remote);
    const messages = answered({ kind: "tool_use", id: "x", tool: ODD.name, input: called?.input ?? {} });
    const again = JSON.stringify(await sentBody(remote, requestTo(remote, { tools, messages })));
    t.notMatch(again, "filter[status]", "the model reads back what it wrote");
  }
});

t.test("properties beside a $ref add to those of its target", async (t) => {
  const target = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const place = { $ref: "#/$defs/place", properties: { street: { type: "string" } } };
  const tool = { name: "go", description: "", inputSchema: { properties: { place }, $defs: { place: target } } };
  for (const remote of REMOTES) {
    const body = await sentBody(remote, requestTo(remote, { tools: [tool] }));
    t.strictSame(problemsIn(remote, body), [], remote);
    t.match(JSON.stringify(body), /"city":.*"street":/);
  }
});

t.test("a server's call ids are sent back unchanged", async (t) => {
  const messages = answered(call("functions.read_file:0", "read_file"));
  t.match(
    JSON.stringify(await sentBody("openai-compatible", requestTo("openai-compatible", { messages }))),
    "functions.read_file:0",
  );
});

t.test("a longer history keeps its prefix, and the same tools are the same bytes", async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  t.comment(`seed ${seed}`);
  const signal = new AbortController().signal;
  for (let index = 0; index < 200; index++) {
    const remote = REMOTES[index % REMOTES.length] ?? "anthropic";
    const request = hostileRequest(new Dice(seed + index), [MODELS[remote]]);
    const whole = [
      { role: "user", text: "begin" } as const,
      ...request.messages,
      { role: "user", text: "end" } as const,
    ];
    const cuts = whole.flatMap(({ role }, at) => (role === "user" && whole[at + 1]?.role !== "tool" ? [at + 1] : []));
    const written = cuts.map((cut) => {
      const { options } = new WireWriter().write(
        { ...request, messages: whole.slice(0, cut) },
        wireRules(remote, request.model),
        signal,
      );
      const parts = options.prompt.flatMap(({ role, content }) =>
        (Array.isArray(content) ? content : [content]).map((part) => JSON.stringify([role, part])),
      );
      return { parts, tools: JSON.stringify(options.tools) };
    });
    for (const [at, { parts, tools }] of written.entries()) {
      const before = written[at - 1];
      if (before === undefined) continue;
      const begins = before.parts.every((part, place) => part === parts[place]);
      if (!begins || before.tools !== tools) {
        t.fail(`seed ${seed + index}, ${remote}`);
        return;
      }
    }
  }
  t.pass("200 histories");
});
