import { join } from "node:path";
import t, { type Test } from "tap";
import { AllowedAgentsAndTools } from "../../../src/engine/agent/allowed-agents-and-tools.ts";
import { catalogProfiles } from "../../../src/engine/agent/agent-profiles.ts";
import { ContextCompactor } from "../../../src/engine/agent/compaction.ts";
import { requestTokens } from "../../../src/engine/model/context-window.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { filler } from "./compacting.ts";
import { ModelCooldowns } from "../../../src/engine/model/model-cooldowns.ts";
import type { ModelFailure, ModelPart, ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { ModelRules } from "../../../src/engine/model/model-rules.ts";
import { rankByWords } from "../../../src/engine/store/word-index.ts";
import { type PartsOptions, calls, engineParts, says, testTool } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { whenAborted } from "../../../src/shared/clock.ts";
import { until } from "../../helpers/until.ts";
import { agentFile, catalogBench } from "../catalog/catalog-bench.ts";

const OVERLOAD: ModelFailure = { kind: "transient", message: "overloaded", status: 529, retryAfterS: null };
const failing = (failure: ModelFailure = OVERLOAD): ModelPart[] => [{ kind: "failed", failure, usage: null }];
const config = {
  provider: "anthropic",
  upstreams: new Map([["openai", { apiKey: "k", baseUrl: undefined, region: undefined }] as const]),
  model: "main",
  plannerModel: "plans",
  lightModel: "light",
} as const;

type Answers = Readonly<Record<string, (request: ModelRequest, step: number) => readonly ModelPart[]>>;

/** An engine whose models answer by their names. */
async function scene(
  t: Test,
  answers: Answers,
  {
    fallback = [],
    allowed = null,
    files = {},
    windowOf = () => 200_000,
    ...options
  }: {
    windowOf?: (model: string) => number;
    fallback?: readonly string[];
    allowed?: string[] | null;
    files?: Readonly<Record<string, string>>;
  } & PartsOptions = {},
) {
  const catalog = await catalogBench(t, { ...files, "core-soul.md": "common" }).live();
  const requests: ModelRequest[] = [];
  const provider: ModelProvider = {
    name: "by name",
    async *stream(request) {
      requests.push(request);
      const step = request.messages.filter(({ role }) => role === "tool").length;
      yield* answers[request.model]?.(request, step) ?? says(`by ${request.model}`)();
    },
  };
  let now = 0;
  const cooldowns = new ModelCooldowns({ clock: () => now, random: () => 0 });
  const rules = new ModelRules(config, { allowed, fallback: [...fallback] });
  const models = { main: "main", planner: "plans", light: "light" };
  const toolLimits = () => ({ maxTools: 128, maxTokens: 100_000, shownTokens: 100_000 });
  const parts = engineParts(t, {
    provider,
    models: { rules, cooldowns },
    compactor: new ContextCompactor({
      provider,
      lightModel: "main",
      windowOf,
      coolsDown: (model) => cooldowns.leftMs(model) > 0,
      reactive: true,
      state: () => [],
      logger: createLogger("test", "silent"),
    }),
    profiles: (registry) =>
      catalogProfiles({
        now: () => catalog,
        registry,
        allowed: new AllowedAgentsAndTools(),
        toolLimits,
        rankByWords,
        models,
        userId: "u",
        product: "p",
      }),
    ...options,
  });
  const run = async (more: Partial<Parameters<typeof parts.runner.start>[0]> = {}) => {
    const turn = parts.runner.start({ task_id: "task", message: "go", ...more });
    turn.run();
    await until("the turn is over", () => !parts.runner.isRunning(turn.turnId));
    return parts.events(turn.turnId);
  };
  const asked = () => requests.map(({ model }) => model);
  return { ...parts, run, requests, asked, rules, cooldowns, pass: (ms: number) => (now += ms) };
}
type Events = readonly { event: string; data: Record<string, unknown> }[];
const changes = (events: Events) =>
  events.flatMap(({ event, data }) =>
    event === "model_changed" ? [`${String(data["from"])} > ${String(data["to"])}: ${String(data["reason"])}`] : [],
  );
const textOf = (events: Events) =>
  events.flatMap(({ event, data }) => (event === "text_delta" ? [data["text"]] : [])).join("");
const look = testTool("look", () => Promise.resolve("seen"));

t.test("the models of the list are asked in order until one answers", async (t) => {
  const { run, asked } = await scene(
    t,
    { main: () => failing(), second: () => failing({ kind: "rate_limited", message: "m", retryAfterS: 20 }) },
    { fallback: ["second", "openai:third"] },
  );
  const events = await run();
  t.same(changes(events), ["main > second: overloaded", "second > openai:third: rate_limited"]);
  t.same(asked(), ["main", "second", "openai:third"]);
  t.equal(textOf(events), "by openai:third");
});

t.test("which failures change the model", async (t) => {
  const transient = (status: number | null, more: object = {}): ModelFailure => ({
    kind: "transient",
    message: "m",
    status,
    retryAfterS: null,
    ...more,
  });
  const rows: readonly (readonly [ModelFailure, string | null])[] = [
    [transient(529), "overloaded"],
    [transient(503), "overloaded"],
    [transient(500), "server_error"],
    [transient(null), "connection"],
    [transient(null, { isTimeout: true }), "timeout"],
    [{ kind: "rate_limited", message: "m", retryAfterS: null }, "rate_limited"],
    [{ kind: "permanent", message: "quota", status: 429 }, "rate_limited"],
    [{ kind: "permanent", message: "key", status: 401 }, null],
    [{ kind: "permanent", message: "unknown", status: 404 }, null],
    [{ kind: "too_long", message: "m" }, null],
    [{ kind: "over_budget", message: "m", details: {} }, null],
  ];
  for (const [failure, reason] of rows) {
    const { run } = await scene(t, { main: () => failing(failure) }, { fallback: ["second"] });
    const events = await run();
    t.same(changes(events), reason === null ? [] : [`main > second: ${reason}`], JSON.stringify(failure));
    t.equal(events.at(-1)?.event, reason === null ? "error" : "thread_lifecycle");
  }
});

t.test("a model that has shown something is not replaced", async (t) => {
  const [start] = says("half")();
  const half: ModelPart[] = [...(start === undefined ? [] : [start]), { kind: "text", text: "half" }, ...failing()];
  const { run, asked, cooldowns } = await scene(t, { main: () => half }, { fallback: ["second"] });
  const events = await run();
  t.match(events.at(-1), { event: "error", data: { error: "LLM_PROVIDER_ERROR" } });
  t.same(asked(), ["main"]);
  t.equal(cooldowns.leftMs("main"), 0);
});

t.test("the substitute stays for the turn, and the next turn avoids what cools down", async (t) => {
  let [fails, first] = [true, true];
  const work = (_: ModelRequest, step: number) =>
    step < 2 ? calls([`c${step}`, "look", { n: step }])() : says("done")();
  const { run, asked, pass } = await scene(
    t,
    { main: () => (fails ? failing() : says("main again")()), second: work },
    {
      fallback: ["second"],
      tools: [testTool("look", () => ((fails = false), pass(first ? 60_000 : 0), Promise.resolve("seen")))],
    },
  );
  t.same(changes(await run()), ["main > second: overloaded"]);
  t.same(asked(), ["main", "second", "second", "second"]);
  [fails, first] = [true, false];
  await run({ task_id: "other" });
  fails = false;
  const third = await run({ task_id: "third" });
  t.same(changes(third), ["main > second: cooldown"], "main failed for the turn before");
  pass(60_000);
  const fourth = await run({ task_id: "fourth" });
  t.same([changes(fourth), textOf(fourth)], [[], "main again"]);
});

t.test(
  "when all models cool down, the one that is ready first is asked, and is tried as often as without a list",
  async (t) => {
    const { run, requests, cooldowns } = await scene(t, {}, { fallback: ["second"] });
    cooldowns.failed("main", "overloaded", 60);
    cooldowns.failed("second", "overloaded", 30);
    const events = await run();
    t.same(changes(events), ["main > second: cooldown"]);
    t.match(requests, [{ model: "second", hasFallback: undefined }]);
    t.equal(cooldowns.leftMs("second"), 0, "it answers again");
  },
);

t.test("only a model with another one behind it is told so", async (t) => {
  const { run, requests } = await scene(t, { main: () => failing() }, { fallback: ["second"] });
  await run();
  t.same(
    requests.map(({ model, hasFallback }) => [model, hasFallback]),
    [
      ["main", true],
      ["second", undefined],
    ],
  );
});

t.test("after a failure of every model the turn fails with the last failure", async (t) => {
  const { run, asked } = await scene(
    t,
    { main: () => failing(), second: () => failing({ kind: "rate_limited", message: "busy", retryAfterS: 7 }) },
    { fallback: ["second"] },
  );
  t.match((await run()).at(-1), { event: "error", data: { error: "LLM_RATE_LIMITED", details: { retry_after: 7 } } });
  t.same(asked(), ["main", "second"]);
});

t.test("an agent has its own model, effort and list; an empty list is none", async (t) => {
  const files = {
    "agents/quick.md": agentFile("quick", "model: small\neffort: low\nfallback: [other, openai:third]\n"),
    "agents/strict.md": agentFile("strict", "model: small\nfallback: []\n"),
  };
  const { run, requests, asked, cooldowns } = await scene(
    t,
    { small: () => failing() },
    { files, fallback: ["second"] },
  );
  t.same(changes(await run({ agent: "quick" })), ["small > other: overloaded"]);
  t.match(requests, [
    { model: "small", effort: "low" },
    { model: "other", effort: "low" },
  ]);
  cooldowns.answered("small");
  t.match((await run({ agent: "strict" })).at(-1), { event: "error" });
  t.equal(asked().at(-1), "small");
  await run({ agent: "quick", model: "named", effort: "high" });
  t.match(requests.at(-1), { model: "named", effort: "high" });
});

t.test(
  "a delegated agent has a model, a list and substitutes of its own, and else the model of the turn",
  async (t) => {
    const files = {
      "agents/own.md": agentFile("own", "model: small\neffort: low\nfallback: [other]\npermissions: {'*': allow}\n"),
      "agents/follows.md": agentFile("follows", "permissions: {'*': allow}\n"),
    };
    const order = (id: string, agent: string): [string, string, Record<string, string>] => [
      id,
      "delegate",
      { agent, task: "x" },
    ];
    const { run, requests } = await scene(
      t,
      {
        named: (request, step) =>
          request.system.includes("I am")
            ? says("sub")()
            : step === 0
              ? calls(order("d1", "own"), order("d2", "follows"))()
              : says("the end")(),
        small: () => failing(),
      },
      { files, tools: [look] },
    );
    const events = await run({ model: "named", effort: "high" });
    t.match(
      events.filter(({ event }) => event === "model_changed"),
      [{ data: { from: "small", to: "other", agent: "own", parent_tool_call_id: "d1" } }],
    );
    const seen = requests.map(
      ({ system, model, effort }) => `${/I am (\w+)/.exec(system)?.[1] ?? "default"} ${model} ${effort}`,
    );
    t.same(seen.toSorted(), [
      "default named high",
      "default named high",
      "follows named high",
      "own other low",
      "own small low",
    ]);
  },
);

t.test(
  "a model that the policy does not allow is refused; those of the settings and of its list are allowed",
  async (t) => {
    const files = {
      "agents/wrong.md": agentFile("wrong", "model: forbidden\n"),
      "agents/partly.md": agentFile("partly", "model: good-1\nfallback: [forbidden, good-2]\n"),
    };
    const { run, asked, rules, runner } = await scene(
      t,
      { "good-1": () => failing() },
      { files, allowed: ["good-*"], fallback: ["second"] },
    );
    const start = (more: object) => () => runner.start({ task_id: "t", message: "go", ...more });
    t.throws(start({ model: "forbidden" }), { code: "POLICY_DENIED", message: /^model: .*forbidden.*main.*good-\*/ });
    t.throws(start({ agent: "wrong" }), { code: "POLICY_DENIED", message: /^agent: .*forbidden/ });
    t.throws(start({ model: "openai:good-1" }), { code: "POLICY_DENIED" }, "the same name of another provider");
    t.throws(start({ model: "google:gemini" }), { field: "model", message: /LLM_GOOGLE_API_KEY/ });
    for (const model of ["main", "planner", "light", "second", "good-7", "anthropic:good-7"]) await run({ model });
    t.same(asked(), ["main", "plans", "light", "second", "good-7", "good-7"]);
    t.same(changes(await run({ agent: "partly" })), ["good-1 > good-2: overloaded"]);
    rules.setPolicy({ allowed: ["other"], fallback: [] });
    t.throws(start({ model: "second" }), { code: "POLICY_DENIED" });
  },
);

t.test("a policy that changes in the middle of a turn ends it at the next step", async (t) => {
  const { run, rules } = await scene(
    t,
    { "good-1": (_, step) => (step === 0 ? calls(["c1", "look", {}])() : says("no")()) },
    {
      allowed: ["good-1"],
      tools: [testTool("look", () => (rules.setPolicy({ allowed: [], fallback: [] }), Promise.resolve("seen")))],
    },
  );
  t.match((await run({ model: "good-1" })).at(-1), {
    event: "error",
    data: { error: "POLICY_DENIED", message: /good-1/ },
  });
});

t.test(
  "a conversation is compacted for the window of the substitute, by a model that does not cool down",
  async (t) => {
    let fails = false;
    const { run, requests } = await scene(
      t,
      { main: (request) => (fails ? failing() : says(request.purpose === "summary" ? "the gist" : "fine")()) },
      { fallback: ["small"], windowOf: (model) => (model === "small" ? 16_000 : 200_000) },
    );
    for (let turn = 0; turn < 4; turn++) await run({ message: filler(4500) });
    t.ok(requestTokens(requests.at(-1) as ModelRequest) > 20_000, "the window of main has room for it");
    fails = true;
    const events = await run();
    t.same(changes(events), ["main > small: overloaded"]);
    const later = requests.slice(4).map(({ model, purpose = "turn" }) => `${model} ${purpose}`);
    t.same([...new Set(later)], ["main turn", "small summary", "small turn"]);
    t.ok(requestTokens(requests.at(-1) as ModelRequest) < 16_000);
    t.equal(textOf(events), "by small");
  },
);

t.test("a resumed turn goes on with its substitute", async (t) => {
  const stalled = testTool("look", (_, { signal }) => whenAborted(signal).then(() => "never"));
  const first = await scene(
    t,
    { main: () => failing(), second: () => calls(["c1", "look", {}])() },
    { fallback: ["second"], tools: [stalled] },
  );
  const turn = first.runner.start({ task_id: "task", message: "go" });
  turn.run();
  await until("the call runs", () => first.events(turn.turnId).some(({ event }) => event === "tool_call"));
  first.journal.flush();
  const dataDir = freshFolder(t);
  first.store.db.exec(`vacuum into '${join(dataDir, "engine.db")}'`);
  first.runner.cancel("task");
  const second = await scene(t, {}, { dataDir, fallback: ["second"], tools: [look] });
  second.runner.recover();
  await until("the turn is over", () => second.slots.size === 0);
  t.same(second.asked(), ["second"]);
  t.equal(textOf(second.events(turn.turnId)), "by second");
});
