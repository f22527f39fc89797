import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";
import { KEY } from "../model/adapter.ts";
import { type Behaviour, startUpstream, streams } from "../model/upstream.ts";
import { FRAMES, NEEDED_SETTINGS, REMOTES, type Remote } from "../model/wire-formats.ts";
import { problemsIn } from "../model/wire/strict-providers.ts";
import { fixture } from "./tool-server-bench.ts";

const SERVERS = {
  few: fixture("hard-to-show", "odd"),
  many: fixture("hard-to-show", "many", "300"),
  large: fixture("hard-to-show", "large", "40"),
};

/** The last text of an answer, without calls. */
const textOnly = (remote: Remote) =>
  FRAMES[remote].filter(
    (frame) => !/list_files|read_file|call_|input_json|function_call|"index":[23]/.test(String(frame)),
  );

async function engineWith(t: Test, remote: Remote, servers: object, behaviour: Behaviour) {
  const dataDir = t.testdir();
  mkdirSync(join(dataDir, "catalog"), { recursive: true });
  writeFileSync(join(dataDir, "catalog/.mcp.json"), JSON.stringify({ mcpServers: servers }));
  const upstream = await startUpstream(t, behaviour);
  const settings = {
    LLM_CONTEXT_WINDOW: "200000",
    LLM_PROVIDER: remote,
    LLM_API_KEY: KEY,
    LLM_BASE_URL: upstream.url,
    ...NEEDED_SETTINGS[remote],
  };
  const engine = await startEngine(t, { dataDir, settings });
  const listed = await until(
    "all servers are ready",
    async () => {
      const { body } = await engine.call("/assets/servers");
      return body.servers.every(({ status }: { status: string }) => status === "ready") && body.servers;
    },
    45_000,
  );
  return { engine, upstream, listed };
}

for (const remote of REMOTES) {
  t.test(`no tool server stops the turns of ${remote}: what has no room in a request is found by search`, async (t) => {
    const { engine, upstream, listed } = await engineWith(t, remote, SERVERS, streams(textOnly(remote)));
    await engine.turn("task", "go on", { max_steps: 1 });
    const { body } = upstream.received[0] ?? {};
    t.strictSame(problemsIn(remote, body), []);
    const sent = JSON.stringify(body);
    t.ok(sent.length < 150_000, `${sent.length} bytes`);
    for (const name of ["read_file", "tool_search", "mcp__few__either", "mcp__few__broken", "mcp__few__sound"])
      t.match(sent, `"${name}"`);
    const server = (name: string) => listed.find((one: { name: string }) => one.name === name);
    t.match(server("few"), {
      error: undefined,
      tools: [
        { tool: "broken", note: "the input schema was rewritten for the provider" },
        { tool: "either", note: "the input schema was rewritten for the provider" },
        { tool: "sound", note: undefined },
      ],
    });
    for (const [name, least] of [
      ["large", 30],
      ["many", remote.startsWith("openai") ? 172 : 0],
    ] as const) {
      const { error, tools } = server(name) as { error?: string; tools: { status: string; note?: string }[] };
      t.equal(error, undefined);
      t.ok(tools.every(({ status }) => status === "offered"));
      const found = tools.filter(({ note = "" }) => note.includes("loaded by tool search"));
      t.ok(found.length >= least, `${found.length} of ${name} are found by search`);
    }
  });
}

t.test("a tool found by search is called, after kill -9 too", async (t) => {
  const dataDir = t.testdir();
  mkdirSync(join(dataDir, "catalog"), { recursive: true });
  const servers = { many: { ...SERVERS.many, permissions: { "*": "allow" }, always_load: ["many7"] } };
  writeFileSync(join(dataDir, "catalog/.mcp.json"), JSON.stringify({ mcpServers: servers }));
  const options = { dataDir, settings: { LLM_CONTEXT_WINDOW: "40000", ENGINE_TOOLS_SHARE: "1" } };
  const first = await startEngine(t, options);
  await until(
    "the server is ready",
    async () => (await first.call("/assets/servers")).body.servers[0].status === "ready",
  );
  const message = '/tool mcp__many__many7 {}\n/tool tool_search {"query":"mcp__many__many42"}\n/slow 600000';
  const stream = await first.execute({ task_id: "found", message });
  await stream.first("tool_result", ({ tool }) => tool === "tool_search");
  await first.stop("SIGKILL");
  const second = await startEngine(t, { ...options, key: first.key });
  await second.call("/execute/cancel", { body: { task_id: "found" } });
  const frames = await second.turn("found", '/tool mcp__many__many42 {"a":"b"}\n/say done');
  t.match(frames.find(({ event }) => event === "tool_result")?.data, { output: '{"a":"b"}', error: null });
  const other = await second.turn("other", '/tool mcp__many__many42 {"a":"b"}\n/say done');
  t.notOk(
    other.some(({ event }) => event === "tool_call"),
    "in no other task is it loaded",
  );
});

t.test("a call with the names shown to the model reaches the server with its own", async (t) => {
  let wire = "";
  const call: Behaviour = (response) => {
    const calls = FRAMES.anthropic.map((frame) =>
      frame.replaceAll("list_files", "mcp__few__either").replaceAll("path", wire),
    );
    return streams(calls)(response);
  };
  const servers = { few: { ...SERVERS.few, permissions: { "*": "allow" } } };
  const { engine, upstream } = await engineWith(t, "anthropic", servers, call);
  await engine.turn("names", "look", { max_steps: 1 });
  wire = /filter_status_x_y_\w{8}/.exec(upstream.received[0]?.text ?? "")?.[0] ?? "";
  const frames = await engine.turn("called", "call", { max_steps: 1 });
  const told = (type: string) =>
    frames.find(({ event, data }) => event === type && data["tool"] === "mcp__few__either")?.data;
  t.match(told("tool_call"), { input: { "filter[status]/$x y": "." } });
  t.match(told("tool_result"), {
    output: '{"filter[status]/$x y":"."}',
    error: null,
  });
});
