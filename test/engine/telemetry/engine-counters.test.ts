import t from "tap";
import type { EngineSample } from "../../../src/contract/engine/status.ts";
import { ENGINE_METRICS, ENGINE_METRIC_LIMITS } from "../../../src/contract/engine/metrics.ts";
import { engineMetricsReport } from "../../../src/contract/engine/status.ts";
import { observedProvider } from "../../../src/engine/model/observed-provider.ts";
import { EngineCounters } from "../../../src/engine/telemetry/engine-counters.ts";
import { EngineTelemetry } from "../../../src/engine/telemetry/engine-telemetry.ts";
import { ToolFailed } from "../../../src/engine/tools/tool.ts";
import { type Answer, calls, engineParts, says, scriptedProvider, testTool } from "../../helpers/engine-parts.ts";

/** The counters as `name label …` to value; of a histogram, how many it has. */
function countsOf(counters: EngineCounters): Record<string, number> {
  const total = ([name, labels, value]: EngineSample) =>
    [
      [name.replace("orch_", ""), ...labels].join(" "),
      typeof value === "number" ? value : value.slice(1).reduce((sum, count) => sum + count, 0),
    ] as const;
  return Object.fromEntries(counters.report(null)?.samples.map(total) ?? []);
}

t.test("turns, model calls, tokens and tool calls are counted by outcome and reason", async (t) => {
  const telemetry = new EngineTelemetry();
  const failing: Answer = () => [
    { kind: "failed", failure: { kind: "transient", message: "no", status: 503, retryAfterS: null }, usage: null },
  ];
  const model = scriptedProvider(
    calls(
      ["a", "read_file", {}],
      ["b", "custom", { n: 1 }],
      ["c", "remote", {}],
      ["d", "no such tool", {}],
      ["e", "read_file", "broken"],
    ),
    says("done"),
    failing,
  );
  const provider = observedProvider({ ...model, name: "openai" }, telemetry);
  const tools = [
    testTool("read_file", async () => "text"),
    testTool("custom", () => Promise.reject(new ToolFailed("no")), { source: "catalog" }),
    testTool("remote", () => Promise.reject(new Error("bug")), { source: "server:x" }),
  ];
  const parts = engineParts(t, { provider, tools, telemetry });
  await parts.turn("one");
  await parts.turn("two");
  t.strictSame(countsOf(telemetry.counters), {
    "model_calls_total openai scripted turn completed none": 2,
    "model_calls_total openai scripted turn failed transient": 1,
    "model_call_seconds openai scripted": 3,
    "model_first_token_seconds openai scripted": 2,
    "model_tokens_total openai scripted turn input": 20,
    "model_tokens_total openai scripted turn output": 10,
    "model_tokens_total openai scripted turn cached": 0,
    "tool_calls_total read_file completed none": 1,
    "tool_calls_total catalog failed tool_error": 1,
    "tool_calls_total mcp failed internal_error": 1,
    "tool_calls_total unknown refused unknown_tool": 1,
    "tool_calls_total read_file refused invalid_input": 1,
    "tool_call_seconds read_file": 1,
    "tool_call_seconds catalog": 1,
    "tool_call_seconds mcp": 1,
    "turns_total completed none": 1,
    "turns_total errored LLM_PROVIDER_ERROR": 1,
    "turn_seconds completed": 1,
    "turn_seconds errored": 1,
  });
});

t.test("a stream that its reader leaves, or that throws, is counted once", async (t) => {
  const telemetry = new EngineTelemetry();
  const provider = observedProvider(
    { name: "google", stream: (request) => (request.model === "m" ? fromParts(says("text")()) : throwing()) },
    telemetry,
  );
  const request = { system: "", messages: [], tools: [], thinking: false, maxOutputTokens: 1 };
  for await (const part of provider.stream({ ...request, model: "m" }, new AbortController().signal)) {
    t.equal(part.kind, "block_start");
    break;
  }
  await t.rejects(async () => {
    for await (const _ of provider.stream({ ...request, model: "broken" }, new AbortController().signal));
  }, /broken/);
  t.match(countsOf(telemetry.counters), {
    "model_calls_total google m turn aborted none": 1,
    "model_calls_total google broken turn failed other": 1,
  });
});

async function* fromParts<T>(parts: readonly T[]): AsyncGenerator<T> {
  yield* parts;
}

// oxlint-disable-next-line require-yield
async function* throwing(): AsyncGenerator<never> {
  throw new Error("broken");
}

t.test(
  "a report has what is new since the daemon's last read, and for a new daemon where the earlier one was",
  async (t) => {
    const counters = new EngineCounters();
    t.strictSame(counters.report(null), { revision: 0, samples: [] });
    counters.count("orch_turns_total", { outcome: "completed", reason: "none" });
    const first = counters.report(0);
    t.match(first, { samples: [["orch_turns_total", ["completed", "none"], 1]] });
    t.notOk(first && "before" in first);
    t.equal(counters.report(first?.revision ?? -1), undefined, "nothing is new");
    counters.count("orch_turns_total", { outcome: "completed", reason: "none" });
    t.match(counters.report(null), {
      samples: [["orch_turns_total", ["completed", "none"], 2]],
      before: [["orch_turns_total", ["completed", "none"], 1]],
    });
  },
);

t.test("a report stays small enough to be read, whatever an engine's catalog names", async (t) => {
  const counters = new EngineCounters();
  for (let n = 0; n < 1000; n++) {
    const labels = { provider: "openai", model: `model-${n}`, purpose: "turn" };
    counters.count("orch_model_calls_total", { ...labels, outcome: "completed", reason: "none" }, 1e9);
    counters.observe("orch_model_call_seconds", labels, 1000);
  }
  for (const tool of ENGINE_METRICS.orch_tool_calls_total.labels.tool) {
    for (const reason of ENGINE_METRICS.orch_tool_calls_total.labels.reason)
      counters.count("orch_tool_calls_total", { tool, outcome: "failed", reason });
  }
  counters.report(null);
  counters.count("orch_turns_total", { outcome: "completed", reason: "none" });
  const report = counters.report(null);
  t.ok(engineMetricsReport.safeParse(report).success);
  t.ok((report?.samples.length ?? 0) <= ENGINE_METRIC_LIMITS.samples);
  t.ok(JSON.stringify(report).length < 65_536);
  const models = new Set(report?.samples.flatMap(([name, [, model]]) => (/model/.test(name) ? [model] : [])));
  t.equal(models.size, ENGINE_METRIC_LIMITS.models + 1);
});
