import t from "tap";
import type { EngineSample } from "../../../src/contract/engine/status.ts";
import { EngineTotals } from "../../../src/orchestrator/status/engine-totals.ts";

const turns = (count: number): EngineSample => ["orch_turns_total", ["completed", "none"], count];
const report = (revision: number, ...samples: readonly EngineSample[]) => ({ revision, samples });

t.test("incarnations of one product add up, each from zero", async (t) => {
  const totals = new EngineTotals();
  const first = totals.add("acme", report(1, turns(3)), null);
  totals.add("acme", report(2, turns(5)), first);
  totals.add("acme", report(1, turns(2)), null);
  totals.add("other", report(1, turns(1)), null);
  const labels = { outcome: "completed", reason: "none" };
  t.strictSame(totals.lines("orch_turns_total"), [
    { metricName: "orch_turns_total", labels: { product: "acme", ...labels }, value: 7 },
    { metricName: "orch_turns_total", labels: { product: "other", ...labels }, value: 1 },
  ]);
});

t.test("a new daemon adds what an engine counted since an earlier daemon read it", async (t) => {
  const totals = new EngineTotals();
  const counted = totals.add("acme", { ...report(9, turns(10)), before: [turns(8)] }, null);
  totals.add("acme", report(10, turns(11)), counted);
  t.match(totals.lines("orch_turns_total"), [{ value: 3 }]);
});

t.test("histograms add up, in the cumulative form of the text format", async (t) => {
  const totals = new EngineTotals();
  const seconds = (sum: number, ...counts: readonly number[]): EngineSample => [
    "orch_tool_call_seconds",
    ["mcp"],
    [sum, ...counts],
  ];
  const first = totals.add("acme", report(1, seconds(0.1, 1, 1)), null);
  totals.add("acme", report(2, seconds(400.1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), first);
  const lines = totals.lines("orch_tool_call_seconds");
  const at = (le: string | number) => lines.find(({ labels }) => labels["le"] === le)?.value;
  t.strictSame([at(0.05), at(0.1), at(300), at("+Inf")], [1, 3, 3, 4]);
  t.strictSame(
    lines.slice(-2).map(({ metricName, value }) => [metricName, value]),
    [
      ["orch_tool_call_seconds_sum", 400.1],
      ["orch_tool_call_seconds_count", 4],
    ],
  );
});

t.test("an engine's word is not trusted: no label of its own, no metric of its own, no way back", async (t) => {
  const totals = new EngineTotals();
  const model = (name: string): EngineSample => ["orch_model_retries_total", ["openai", name, "transient"], 1];
  totals.add(
    "acme",
    report(
      1,
      ["orch_turns_total", ["user-4711", 'x"} 1\nfake 1'], 1],
      ["orch_engines", ["running"], 1],
      ["constructor", [], 1],
      ["orch_turns_total", [], [1, 2, 3]],
      model("gpt 5"),
      model('m"\n'),
      ...Array.from({ length: 100 }, (_, n) => model(`m${n}`)),
    ),
    totals.add("acme", report(0, turns(5)), null),
  );
  t.strictSame(
    totals.lines("orch_turns_total").map(({ labels, value }) => [...Object.values(labels), value]),
    [
      ["acme", "completed", "none", 5],
      ["acme", "other", "other", 2],
    ],
  );
  const models = totals.lines("orch_model_retries_total").map(({ labels }) => labels["model"]);
  t.equal(new Set(models).size, 51);
  t.strictSame(totals.lines("orch_spans_total"), []);
});
