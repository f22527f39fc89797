import t from "tap";
import { ContextMeter } from "../../../src/engine/agent/context-meter.ts";
import { contextWindow, requestTokens } from "../../../src/engine/model/context-window.ts";
import type { ModelRequest, ModelUsage } from "../../../src/engine/model/model-provider.ts";
import { engineParts } from "../../helpers/engine-parts.ts";
import { type CountingProvider, compactingParts, countingProvider, filler, text } from "./compacting.ts";

const request: ModelRequest = {
  model: "m",
  system: "s".repeat(4000),
  messages: [],
  tools: [],
  thinking: false,
  maxOutputTokens: 100,
};
const usageOf = (inputTokens: unknown): ModelUsage => ({
  inputTokens: inputTokens as number,
  outputTokens: 5,
  cacheHitTokens: 0,
});

/** Reports another count than its own for the calls that `report` names, counted from 1. */
function misreporting(provider: CountingProvider, report: (nth: number) => unknown): CountingProvider {
  return {
    ...provider,
    async *stream(asked, signal) {
      for await (const part of provider.stream(asked, signal)) {
        const wrong = part.kind === "done" ? report(provider.requests.length) : undefined;
        yield part.kind === "done" && wrong !== undefined ? { ...part, usage: usageOf(wrong) } : part;
      }
    },
  };
}

t.test("one wrong count has little effect on other conversations, and the next one corrects it", async (t) => {
  const truth = requestTokens(request);
  for (const wrong of [1, truth * 100]) {
    const meter = new ContextMeter((model) => contextWindow(model, null));
    meter.measured("c", request, usageOf(truth));
    meter.measured("c", request, usageOf(wrong));
    const tokens = meter.tokens("other", request);
    t.ok(tokens <= truth * 2 && tokens >= truth / 2, `${wrong}: ${tokens} of ${truth}`);
    meter.measured("c", request, usageOf(truth));
    for (const conversation of ["c", "other"]) t.equal(meter.tokens(conversation, request), truth, conversation);
  }
});

t.test("token counts of zero or beyond the window are ignored", async (t) => {
  const meter = new ContextMeter((model) => contextWindow(model, null));
  const before = meter.tokens("c", request);
  for (const wrong of [0, 50_000_000, Number.MAX_SAFE_INTEGER]) meter.measured("c", request, usageOf(wrong));
  t.equal(meter.tokens("c", request), before);
});

t.test("a repeated count scales other conversations, within bounds", async (t) => {
  for (const [factor, expected] of [
    [4, 4],
    [100, 8],
    [0.5, 0.5],
    [0.001, 0.25],
  ] as const) {
    const meter = new ContextMeter((model) => contextWindow(model, null));
    for (let calls = 0; calls < 12; calls++)
      meter.measured("c", request, usageOf(Math.ceil(requestTokens(request) * factor)));
    t.ok(Math.abs(meter.scale("other", "m") - expected) < 0.01, `${factor}: ${meter.scale("other", "m")}`);
  }
});

t.test("one token count far too high blocks no task", async (t) => {
  const provider = misreporting(countingProvider(), (nth) => (nth === 1 ? 50_000_000 : undefined));
  const parts = compactingParts(t, { provider, compactor: { windowOf: () => 32_000 } });
  for (const task of ["task", "new", "task"])
    t.match((await parts.turn(task, filler(600))).at(-1)?.data, { phase: "completed" });
  t.equal(provider.summaries.length, 0, "no conversation is compacted");
});

t.test("with a provider that overcounts, requests are sent while the estimate fits", async (t) => {
  const provider = misreporting(countingProvider(), () => 31_999);
  const parts = compactingParts(t, { provider, compactor: { windowOf: () => 32_000 } });
  for (let turn = 0; turn < 6; turn++)
    t.match((await parts.turn("task", filler(5000))).at(-1)?.data, { phase: "completed" });
});

t.test("a reported window far too small blocks no later turn", async (t) => {
  let refuse = true;
  const provider = countingProvider({
    answer: () => (refuse ? [{ kind: "failed", failure: TINY, usage: null }] : text("fits")),
  });
  const parts = compactingParts(t, { provider, compactor: { windowOf: () => 128_000 } });
  t.match((await parts.turn("task", filler(6000))).at(-1), { event: "error" });
  refuse = false;
  for (const task of ["task", "new"])
    t.match((await parts.turn(task, filler(6000))).at(-1)?.data, { phase: "completed" });
});
const TINY = { kind: "too_long", message: "it does not fit", window: 4096 } as const;

t.test("a turn's usage excludes invalid counts of a provider", async (t) => {
  const wrong = [-7, Number.NaN, "1000", null, 1e300];
  let nth = 0;
  const provider = misreporting(countingProvider(), () => wrong[nth++]);
  const parts = engineParts(t, { provider });
  for (const report of wrong) {
    const events = await parts.turn("task");
    const { data } = events.findLast(({ event }) => event === "usage") ?? {};
    t.match(data, { input_tokens: 0, output_tokens: 5 }, String(report));
  }
});
