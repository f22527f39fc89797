import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { AllowedAgentsAndTools } from "../../../src/engine/agent/allowed-agents-and-tools.ts";
import { catalogProfiles } from "../../../src/engine/agent/agent-profiles.ts";
import { rankByWords } from "../../../src/engine/store/word-index.ts";
import type { ModelPart, ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { type Frame, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { type Answer, calls, engineParts, says, testTool } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { agentFile, catalogBench } from "../catalog/catalog-bench.ts";

const NO_LIMITS = () => ({ maxTools: Infinity, maxTokens: Infinity, shownTokens: Infinity });

/** What a model says by the agent it speaks for, which is the first line of the request's last system paragraph. */
type Roles = Readonly<Record<string, (request: ModelRequest, step: number) => ReturnType<Answer>>>;

const PROMPT = "common to all\n{{agents}}";

async function team(t: Test, roles: Roles, options: Parameters<typeof engineParts>[1] = {}, files = TEAM) {
  const catalog = await catalogBench(t, { ...files, "core-soul.md": PROMPT }).live();
  const requests: { readonly agent: string; readonly request: ModelRequest }[] = [];
  const provider: ModelProvider = {
    name: "roles",
    async *stream(request, signal) {
      const agent = /I am ([\w-]+)\./.exec(request.system)?.[1] ?? "default";
      requests.push({ agent, request });
      const step = request.messages.filter(({ role }) => role === "tool").length;
      const answer = roles[agent]?.(request, step) ?? says("nothing to say")();
      for await (const part of answer) {
        yield signal.aborted ? { kind: "failed", failure: { kind: "aborted" }, usage: null } : part;
      }
    },
  };
  const models = { main: "main-model", planner: "planner-model", light: "light-model" };
  const parts = engineParts(t, {
    provider,
    ...options,
    profiles: (registry) =>
      catalogProfiles({
        now: () => catalog,
        registry,
        allowed: new AllowedAgentsAndTools(),
        toolLimits: NO_LIMITS,
        rankByWords,
        models,
        userId: "u",
        product: "p",
      }),
  });
  const run = async (agent = "default") => {
    const turn = parts.runner.start({ task_id: "task", message: "go", agent });
    turn.run();
    await until("the turn is over", () => !parts.runner.isRunning(turn.turnId));
    return parts.events(turn.turnId);
  };
  return { ...parts, requests, run, catalog };
}

const TEAM = {
  "agents/scout.md": agentFile("scout", "tools: [look, delegate]\nmodel: planner\npermissions: {look: allow}\n"),
  "agents/builder.md": agentFile("builder", "permissions: {'*': allow}\n"),
  "agents/careful.md": agentFile("careful", "tools: [look, build, delegate]\npermissions: {look: ask}\n"),
};
const look = testTool("look", () => Promise.resolve("seen"));
const build = testTool("build", () => Promise.resolve("built"), { readOnly: false, permission: "ask" });
type Order = [id: string, tool: string, input: Readonly<Record<string, unknown>>];
const order = (id: string, agent: string, task = `task ${id}`): Order => [id, "delegate", { agent, task }];
const resultOf = (events: readonly { event: string; data: Record<string, unknown> }[], id: string) =>
  events.find(({ event, data }) => event === "tool_result" && data["tool_call_id"] === id)?.data;

t.test("a sub-agent has its own conversation, and its last answer is the result", async (t) => {
  const { run, requests, messages } = await team(
    t,
    {
      default: (_, step) => (step === 0 ? calls(order("d1", "scout", "Look around."))() : says("the answer")()),
      scout: (_, step) =>
        step === 0 ? [...says("let me see")().slice(0, 3), ...calls(["c1", "look", { n: 1 }])()] : says("I saw it")(),
    },
    { tools: [look, build] },
  );
  const events = await run();
  t.match(resultOf(events, "d1"), { tool: "delegate", output: "I saw it", error: null });
  const scout = requests.filter(({ agent }) => agent === "scout").map(({ request }) => request);
  t.same(scout[0]?.messages, [{ role: "user", text: "Look around." }]);
  t.same(
    scout[0]?.tools.map(({ name }) => name),
    ["look"],
    "neither more tools than its file names, nor delegate",
  );
  t.equal(scout[0]?.model, "planner-model");
  t.match(scout[0]?.system, /^common to all\n\(none\)\n\nI am scout\.$/);
  t.match(requests[0]?.request.system, /- builder: .*\n- careful: .*\n(.*\n)*- scout: Does what scout does\./);
  t.same(
    messages.ofTask("task").map(({ role }) => role),
    ["user", "assistant", "tool", "assistant"],
    "the task's conversation has none of it",
  );
  const said = events.flatMap(({ event, data }) => (event === "text_delta" ? [data["text"]] : []));
  t.same(said, ["the answer"], "all text is the answer to the user");
  const mark = { agent: "scout", parent_tool_call_id: "d1" };
  t.match(events.find(({ data }) => data["tool"] === "look")?.data, { tool_call_id: "c1", ...mark });
  t.match(resultOf(events, "c1"), { output: "seen", ...mark });
  t.equal(resultOf(events, "d1")?.["agent"], undefined);
  const blocks = events.filter(({ event }) => event.startsWith("content_block")).map(({ data }) => data["block_index"]);
  t.same(blocks, [0, 0, 1, 1, 2, 2], "each call follows a block, and their numbers rise");
  t.match(events.findLast(({ event }) => event === "usage")?.data, { input_tokens: 40, output_tokens: 20 });
});

t.test("at most four sub-agents of a turn run in parallel", async (t) => {
  let now = 0;
  let most = 0;
  const { run } = await team(
    t,
    {
      default: (_, step) =>
        step === 0 ? calls(...Array.from({ length: 9 }, (_, at) => order(`d${at}`, "scout")))() : says("x")(),
      scout: async function* (): AsyncGenerator<ModelPart> {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 30));
        now--;
        yield* says("done")();
      },
    },
    { tools: [look] },
  );
  const events = await run();
  t.equal(events.filter(({ event, data }) => event === "tool_result" && data["output"] === "done").length, 9);
  t.equal(most, 4);
});

t.test("sub-agents share the turn's tool limit without deadlock", async (t) => {
  let now = 0;
  let most = 0;
  const slow = testTool("look", async () => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 20));
    now--;
    return "seen";
  });
  const { run } = await team(
    t,
    {
      default: (_, step) =>
        step === 0
          ? calls(order("d1", "scout"), order("d2", "scout"), order("d3", "scout"), ["l", "look", {}])()
          : says("x")(),
      scout: ({ messages }, step) =>
        step === 0 ? calls(["a", "look", { n: 1 }], ["b", "look", { n: messages.length }])() : says("done")(),
    },
    { tools: [slow], concurrency: 1 },
  );
  const events = await run();
  t.equal(events.filter(({ event, data }) => event === "tool_result" && data["output"] === "done").length, 3);
  t.equal(most, 1);
});

t.test("a sub-agent never has more permissions than its parent", async (t) => {
  const { run, requests, humanRequests } = await team(
    t,
    {
      careful: (_, step) => (step === 0 ? calls(order("d1", "builder"))() : says("x")()),
      builder: (_, step) => (step === 0 ? calls(["c1", "look", {}], ["c2", "other", {}])() : says("tried")()),
    },
    { tools: [look, build, testTool("other", () => Promise.resolve("other"))] },
  );
  const running = run("careful");
  const asked = await until("somebody is asked", () => humanRequests.pending()[0]);
  t.match(asked, {
    kind: "permission",
    question: /look/,
    context: { agent: "builder", parent_tool_call_id: "d1", tool_call_id: "c1" },
  });
  humanRequests.answer(asked.request_id, "deny");
  const events = await running;
  t.match(resultOf(events, "c1"), { error: /denied/ });
  t.match(resultOf(events, "c2"), { error: "unknown tool: other" });
  t.match(resultOf(events, "d1"), { output: "tried" });
  const builder = requests.find(({ agent }) => agent === "builder")?.request;
  t.same(
    builder?.tools.map(({ name }) => name),
    ["build", "look"],
  );
});

t.test("sub-agents call the client's tools that their files name, two at once", async (t) => {
  const pick = { name: "pick", description: "Picks", input_schema: { type: "object" } };
  const { runner, clientCalls, requests, ...parts } = await team(
    t,
    {
      default: (_, step) =>
        step === 0 ? calls(order("d1", "careful"), order("d2", "careful"), order("d3", "scout"))() : says("x")(),
      careful: (_, step) => (step === 0 ? calls(["c", "pick", {}])() : says("picked")()),
    },
    { tools: [look] },
    { ...TEAM, "agents/careful.md": agentFile("careful", "tools: [look, pick]\n") },
  );
  const turn = runner.start({ task_id: "task", message: "go", client_tools: [pick] });
  turn.run();
  await until("both have called", () => clientCalls.pending().length === 2);
  await until("the turn waits", () => runner.find(turn.turnId)?.state === "waiting_for_human");
  const open = clientCalls.pending();
  t.same(new Set(open.map(({ parent_tool_call_id }) => parent_tool_call_id)), new Set(["d1", "d2"]));
  t.ok(open.every(({ agent, tool }) => agent === "careful" && tool === "pick"));
  for (const { tool_call_id } of open) clientCalls.answer(tool_call_id, { output: "this" });
  await until("the turn is over", () => !runner.isRunning(turn.turnId));
  const announced = parts.events(turn.turnId).filter(({ data }) => data["runs"] === "client");
  t.match(announced, [{ data: { agent: "careful", parent_tool_call_id: /^d[12]$/ } }, { data: { agent: "careful" } }]);
  const offered = (agent: string) => requests.find((one) => one.agent === agent)?.request.tools.map(({ name }) => name);
  t.same(offered("careful"), ["look", "pick"]);
  t.same(offered("scout"), ["look"]);
});

t.test("a sub-agent that may ask a human runs alone", async (t) => {
  const parts = await team(
    t,
    {
      default: (_, step) =>
        step === 0 ? calls(order("d1", "careful"), order("d2", "scout"), ["l", "look", {}])() : says("x")(),
      careful: (_, step) => (step === 0 ? calls(["c1", "look", { n: 1 }])() : says("careful is done")()),
      scout: async function* (): AsyncGenerator<ModelPart> {
        await new Promise((resolve) => setTimeout(resolve, 50));
        yield* says("scout is done")();
      },
    },
    { tools: [look] },
  );
  const running = parts.run();
  const asked = await until("somebody is asked", () => parts.humanRequests.pending()[0]);
  const before = parts.events(asked.turn_id);
  t.match(resultOf(before, "d2"), { output: "scout is done" });
  t.match(resultOf(before, "l"), { output: "seen" });
  parts.humanRequests.answer(asked.request_id, "allow_once");
  t.match(resultOf(await running, "d1"), { output: "careful is done" });
});

t.test("a failed sub-agent reports its last answer, and an unknown one is refused", async (t) => {
  const { run } = await team(
    t,
    {
      default: (_, step) =>
        step === 0
          ? calls(order("d1", "scout"), order("d2", "nobody"), order("d3", "default"), ["d4", "delegate", {}])()
          : says("x")(),
      scout: (_, step) =>
        step === 0
          ? [...says("found half")().slice(0, 3), ...calls(["c1", "look", {}])()]
          : [{ kind: "failed", failure: { kind: "permanent", message: "no such model", status: 404 }, usage: null }],
    },
    { tools: [look] },
  );
  const events = await run();
  t.match(resultOf(events, "d1"), { error: "scout failed: no such model\nIts last answer: found half" });
  for (const id of ["d2", "d3", "d4"]) t.match(resultOf(events, id), { error: /^invalid arguments: / });
  t.match(events.at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
});

t.test("cancelling a turn stops its sub-agents", async (t) => {
  let begun = 0;
  let aborted = 0;
  const deaf = testTool(
    "look",
    (_, { signal }) =>
      new Promise((_, reject) => {
        begun++;
        signal.addEventListener("abort", () => (aborted++, reject(signal.reason)), { once: true });
      }),
  );
  const { run, runner } = await team(
    t,
    {
      default: () => calls(order("d1", "scout"), order("d2", "scout"))(),
      scout: () => calls(["c", "look", {}])(),
    },
    { tools: [deaf] },
  );
  const holder = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(holder));
  const running = run();
  await until("both are at work", () => begun === 2);
  runner.cancel("task");
  const events = await running;
  t.match(events.at(-1), { event: "error", data: { error: "CANCELLED" } });
  t.equal(aborted, 2);
  const shown = (name: string) =>
    events.flatMap(({ event, data }) => {
      const { tool_call_id: id, tool, agent, parent_tool_call_id: parent } = data;
      return event === name ? [JSON.stringify({ id, tool, agent, parent })] : [];
    });
  t.same(
    new Set(shown("tool_result")),
    new Set(shown("tool_call")),
    "each call is closed under the agent that made it",
  );
});

async function overTurn(engine: TestEngine) {
  return until("the turn is over", async () => {
    const page = (await engine.call("/execute/replay?after=0&limit=1000")).body.events as Frame[];
    return page.at(-1)?.data.phase === "completed" ? page.filter(({ event }) => event === "tool_result") : undefined;
  });
}
const byTool = (results: readonly Frame[]) => results.map(({ data }) => data.tool);

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  t.test(`a sub-agent resumes where it waited for a human after ${signal}`, async (t) => {
    const dataDir = freshFolder(t);
    const first = await startEngine(t, { dataDir });
    const input = JSON.stringify({ path: "note.txt", content: "kept" });
    const task = `/tool list_files {}\n/say looked\n/tool write_file ${input}\n/say It is written.`;
    const message = `/tool delegate ${JSON.stringify({ agent: "coder", task })}\n/say All done.`;
    const stream = await first.execute({ task_id: "task", message });
    const asked = await stream.first("hitl_request");
    t.match(asked.data.context, { agent: "coder" });
    await first.stop(signal);
    t.notOk(existsSync(join(dataDir, "workspace/note.txt")));
    const second = await startEngine(t, { dataDir });
    await until("it is asked again", async () => (await second.call("/hitl/pending")).body.requests.length === 1);
    const answer = { request_id: asked.data.request_id, answer: "allow_once" };
    t.equal((await second.call("/hitl/respond", { body: answer })).status, 200);
    const results = await overTurn(second);
    t.equal(readFileSync(join(dataDir, "workspace/note.txt"), "utf8"), "kept");
    t.same(byTool(results), ["list_files", "write_file", "delegate"], "nothing was done twice");
    t.match(results.at(-1)?.data, { output: /It is written\./, error: null });
  });
}

t.test("a sub-agent parks with the engine at a step, and resumes at the next one", async (t) => {
  const dataDir = freshFolder(t);
  const first = await startEngine(t, { dataDir });
  const task = "/slow 1000\n/tool list_files {}\n/say I looked.";
  const order = (agent: string) => `/tool delegate ${JSON.stringify({ agent, task })}`;
  const message = `${order("reviewer")}\n${order("planner")}\n/say All done.`;
  const stream = await first.execute({ task_id: "task", message });
  await stream.first("tool_call");
  t.equal(await first.stop(), 0);
  const results = await overTurn(await startEngine(t, { dataDir }));
  t.same(
    byTool(results).toSorted((left, right) => (left < right ? -1 : 1)),
    ["delegate", "delegate", "list_files", "list_files"],
  );
  for (const { data } of results) t.equal(data.error, null);
});

t.test("rules of the catalog hold for the calls of a delegated agent, which has the tool", async (t) => {
  const ran: string[] = [];
  const look = testTool("look", () => Promise.resolve(ran.push("look")));
  const place = { path: "settings.yaml", line: 2 };
  const rules = [{ tool: "look", input: [], permission: "deny", reason: "no looking", place }] as const;
  const roles: Roles = {
    default: (_, step) => (step === 0 ? calls(["d", "delegate", { agent: "scout", task: "look" }]) : says("done"))(),
    scout: (_, step) => (step === 0 ? calls(["s", "look", {}]) : says("could not"))(),
  };
  const { run } = await team(t, roles, { tools: [look], rules });
  const results = (await run()).filter(({ event }) => event === "tool_result").map(({ data }) => data);
  t.match(results[0], { tool: "look", agent: "scout", error: /rules deny this call: no looking/ });
  t.same(ran, []);
});
