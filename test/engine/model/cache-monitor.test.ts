import t from "tap";
import { CacheMonitor, monitoredProvider } from "../../../src/engine/model/cache-monitor.ts";
import { loggedProvider } from "../../../src/engine/model/logged-provider.ts";
import type { ModelMessage, ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { KEY, partsOf, requestTo } from "./adapter.ts";

const user = (text: string): ModelMessage => ({ role: "user", text });
const agent = (text: string): ModelMessage => ({ role: "assistant", content: [{ kind: "text", text }] });
const asking = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}) =>
  requestTo("anthropic", { messages, ...more });
const ONE = [user("one")];
const TWO = [...ONE, agent("yes"), user("two")];
const used = (inputTokens: number, cacheHitTokens: number) => ({ inputTokens, outputTokens: 1, cacheHitTokens });

function monitor() {
  let now = 1_000_000;
  const it = new CacheMonitor(() => now);
  return { check: it.check.bind(it), pass: (ms: number) => (now += ms) };
}

t.test("a call that continues an earlier one should hit its prefix", async (t) => {
  const { check } = monitor();
  t.strictSame(check(asking(ONE), used(8000, 0)), { kind: "nothing_expected" });
  t.strictSame(check(asking(TWO), used(9000, 8000)), { kind: "hit" });
  t.strictSame(check(asking([...TWO, agent("and"), user("three")]), used(10_000, 100)), {
    kind: "missed",
    why: "not_cached",
    expectedTokens: 9000,
    hitTokens: 100,
  });
});

t.test("a miss has a reason", async (t) => {
  const cases: readonly [string, ModelRequest][] = [
    ["system_changed", asking(TWO, { system: "It is Tuesday." })],
    ["tools_changed", asking(TWO, { tools: requestTo("anthropic").tools.toReversed() })],
    ["history_changed", asking([...ONE, agent("yes"), user("two, edited"), agent("no"), user("three")])],
    ["not_cached", asking([...TWO, agent("no"), user("three")])],
  ];
  for (const [why, request] of cases) {
    const { check } = monitor();
    check(asking(ONE), used(8000, 0));
    check(asking(TWO), used(8500, 8000));
    t.match(check(request, used(9000, 0)), { kind: "missed", why }, why);
  }
  const late = monitor();
  late.check(asking(ONE), used(8000, 0));
  late.pass(300_001);
  t.match(late.check(asking(TWO), used(9000, 0)), { kind: "missed", why: "cache_expired" });
});

t.test("a call without a cacheable prefix is no miss", async (t) => {
  const { check } = monitor();
  check(asking(ONE), used(3000, 0));
  t.match(check(asking(TWO), used(3100, 0)), { kind: "nothing_expected" }, "too small to be kept");
  check(asking([user("elsewhere")]), used(9000, 0));
  t.match(check(asking([user("a new conversation")]), used(9000, 0)), { kind: "nothing_expected" });
  t.match(check(asking([user("elsewhere"), agent("x"), user("y")], { model: "another" }), used(9000, 0)), {
    kind: "nothing_expected",
  });
});

t.test("the number of remembered calls is limited", async (t) => {
  const { check } = monitor();
  check(asking(ONE), used(8000, 0));
  for (let other = 0; other < 150; other++) check(asking([user(`other ${other}`)]), used(8000, 0));
  t.match(check(asking(TWO), used(9000, 0)), { kind: "nothing_expected" });
});

/** A provider, and all that was logged. */
function logged(level: "debug" | "info", ...hits: readonly number[]) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger("test", level, {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  let calls = 0;
  const inner: ModelProvider = {
    name: "anthropic",
    async *stream() {
      yield { kind: "block_start", block: "text" };
      yield { kind: "text", text: "SECRET answer" };
      yield { kind: "block_stop", block: "text" };
      yield { kind: "done", reason: "stop", usage: used(8000, hits[calls++] ?? 0) };
    },
  };
  return { lines, logger, inner };
}

t.test("a cache miss is logged with its reason and without content", async (t) => {
  const { lines, logger, inner } = logged("info", 0, 7000, 0);
  const provider = monitoredProvider(inner, logger);
  await partsOf(provider, asking(ONE));
  await partsOf(provider, asking(TWO));
  t.strictSame(lines, []);
  await partsOf(provider, asking(TWO, { system: "SECRET other" }));
  t.match(lines, [
    { level: 40, why: "system_changed", expected_tokens: 8000, hit_tokens: 0, model: "claude-sonnet-4-5" },
  ]);
  t.notMatch(JSON.stringify(lines), /SECRET/);
});

t.test("DEBUG logs parameters and outcome of each call, without content", async (t) => {
  const { lines, logger, inner } = logged("debug");
  const provider = loggedProvider(inner, logger);
  await partsOf(provider, requestTo("anthropic", { system: `SECRET ${KEY}` }));
  const calls = lines.filter(({ msg }) => msg !== "reached a step");
  t.match(calls, [
    {
      msg: "called the model",
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      purpose: "turn",
      thinking: true,
      max_output_tokens: 16_000,
      system: { characters: Number, hash: /^[0-9a-f]{12}$/ },
      tools: { count: 2, characters: Number, hash: /^[0-9a-f]{12}$/ },
      messages: { user: 1, assistant: 0, tool: 0, characters: Number, hash: String },
    },
    { msg: "ended the model call", reason: "stop", usage: used(8000, 0), parts: 4, took_ms: Number, first_ms: Number },
  ]);
  t.same(
    lines.flatMap(({ step }) => step ?? []),
    ["model_called", "model_answered"],
    "the steps of a wake",
  );
  t.notMatch(JSON.stringify(lines), /SECRET|sk-/);
  t.equal(loggedProvider(inner, createLogger("test", "info")), inner, "below debug level the provider is not wrapped");
});
