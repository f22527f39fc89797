import t from "tap";
import type { ModelFailure, ModelPart, ModelProvider } from "../../../src/engine/model/model-provider.ts";
import { retryVerdict, retryingProvider } from "../../../src/engine/model/retrying-provider.ts";
import { partsOf, requestTo } from "./adapter.ts";

const transient = (retryAfterS: number | null = null): ModelFailure => ({
  kind: "transient",
  message: "m",
  status: 529,
  retryAfterS,
});
const limited = (retryAfterS: number | null = null): ModelFailure => ({
  kind: "rate_limited",
  message: "m",
  retryAfterS,
});
const failed = (failure: ModelFailure): ModelPart => ({ kind: "failed", failure, usage: null });
const ANSWER: readonly ModelPart[] = [
  { kind: "block_start", block: "text" },
  { kind: "text", text: "hello" },
  { kind: "block_stop", block: "text" },
  { kind: "done", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 } },
];

/** A provider that answers each call with the next list of parts, a clock that only waits move, and what was waited. */
function scene(...calls: readonly (readonly ModelPart[])[]) {
  const waits: number[] = [];
  let asked = 0;
  let now = 1_000_000;
  const inner: ModelProvider = {
    name: "anthropic",
    async *stream() {
      yield* calls[Math.min(asked++, calls.length - 1)] ?? [];
    },
  };
  const provider = retryingProvider(inner, {
    random: () => 0.5,
    clock: () => now,
    async delay(ms, signal) {
      if (signal.aborted) return false;
      waits.push(ms);
      now += ms;
      return true;
    },
  });
  return { provider, waits, asked: () => asked, pass: (ms: number) => (now += ms) };
}
const request = requestTo("anthropic");

t.test("tries five times, twice as long apart each time, plus jitter", async (t) => {
  const { provider, waits, asked } = scene([failed(transient())]);
  t.strictSame(await partsOf(provider, request), [failed(transient())]);
  t.equal(asked(), 5);
  t.strictSame(waits, [1500, 2500, 4500, 8500]);
});

t.test("a later try that succeeds hides the earlier failures", async (t) => {
  const { provider, asked } = scene([failed(limited())], [failed(transient())], ANSWER);
  t.strictSame(await partsOf(provider, request), ANSWER);
  t.equal(asked(), 3);
});

const CUT = [...ANSWER.slice(0, 2), failed(transient())];

t.test("an answer that is cut begins again, and its failure is hidden", async (t) => {
  const { provider, asked, waits } = scene(CUT, CUT, ANSWER);
  const restart = { kind: "restart", usage: null };
  const begun = ANSWER.slice(0, 2);
  t.strictSame(await partsOf(provider, request), [...begun, restart, ...begun, restart, ...ANSWER]);
  t.equal(asked(), 3);
  t.equal(waits.length, 2);
  t.ok((waits[0] ?? 0) < 1000, "soon");
});

t.test("an answer that is cut again and again ends with its failure", async (t) => {
  const { provider, asked } = scene(CUT);
  const parts = await partsOf(provider, request);
  t.strictSame(parts.at(-1), failed(transient()));
  t.equal(asked(), 9);
});

t.test("an answer that has begun is not repeated for a failure that a repetition does not mend", async (t) => {
  for (const failure of [limited(), transient(5), { ...transient(), isTimeout: true }] as const) {
    const { provider, asked } = scene([...ANSWER.slice(0, 2), failed(failure)], ANSWER);
    t.strictSame((await partsOf(provider, request)).at(-1), failed(failure));
    t.equal(asked(), 1);
  }
});

t.test("never retries permanent failures", async (t) => {
  const hopeless: readonly ModelFailure[] = [
    { kind: "permanent", message: "m", status: 401 },
    { kind: "too_long", message: "m" },
    { kind: "aborted" },
  ];
  for (const failure of hopeless) {
    const { provider, asked } = scene([failed(failure)], ANSWER);
    t.strictSame(await partsOf(provider, request), [failed(failure)]);
    t.equal(asked(), 1);
  }
});

t.test("a retry-after is the minimum wait, and fails at once above a minute", async (t) => {
  const short = scene([failed(limited(7))], ANSWER);
  t.match((await partsOf(short.provider, request)).at(-1), { kind: "done" });
  t.strictSame(short.waits, [7500]);
  for (const failure of [limited(61), transient(61)]) {
    const long = scene([failed(failure)], ANSWER);
    t.match(await partsOf(long.provider, request), [{ failure: { kind: "rate_limited", retryAfterS: 61 } }]);
    t.strictSame([long.waits, long.asked()], [[], 1]);
  }
});

t.test("waits at most a minute in total", async (t) => {
  const { provider, waits } = scene([failed(limited(25))]);
  t.match(await partsOf(provider, request), [{ failure: { kind: "rate_limited", retryAfterS: 25 } }]);
  t.strictSame(waits, [25_500, 25_500]);
  for (let tries = 1; tries <= 6; tries++) {
    for (const retryAfterS of [null, 1, 30, 60]) {
      for (const waitedMs of [0, 10_000, 59_999]) {
        const verdict = retryVerdict(limited(retryAfterS), { tries, waitedMs, random: 1 });
        if (verdict.kind === "give_up") continue;
        t.ok(tries < 5 && waitedMs + verdict.ms <= 60_000 && verdict.ms >= (retryAfterS ?? 0) * 1000);
      }
    }
  }
});

t.test("a retry-after holds back all calls to the model", async (t) => {
  const { provider, waits, asked, pass } = scene([failed(limited(40))], ANSWER);
  const signal = new AbortController().signal;
  const first = provider.stream(request, signal)[Symbol.asyncIterator]();
  // Its second try is behind it: the gate is still closed for a clock that stood still.
  t.match((await first.next()).value, { kind: "block_start" });
  t.equal(asked(), 2);
  pass(-10_000);
  t.match((await partsOf(provider, request)).at(-1), { kind: "done" });
  t.equal(asked(), 3);
  t.strictSame(waits, [40_500, 10_500]);
  pass(-10_000);
  t.match((await partsOf(provider, { ...request, model: "another" })).at(-1), { kind: "done" });
  t.equal(waits.length, 2, "another model has its own limit");
});

t.test("ends with the signal while it waits", async (t) => {
  const abort = new AbortController();
  const inner: ModelProvider = {
    name: "anthropic",
    async *stream() {
      yield failed(limited(50));
    },
  };
  const parts = partsOf(retryingProvider(inner), request, abort.signal);
  setTimeout(() => abort.abort(), 20);
  t.strictSame(await parts, [failed({ kind: "aborted" })]);
});

t.test(
  "with another model behind it, a model is tried twice within two seconds, and not after a timeout",
  async (t) => {
    const asking = { ...request, hasFallback: true };
    const momentary = scene([failed(transient())]);
    t.strictSame(await partsOf(momentary.provider, asking), [failed(transient())]);
    t.strictSame(momentary.waits, [1250]);
    const later = scene([failed(limited(3))]);
    t.strictSame(await partsOf(later.provider, asking), [failed(limited(3))]);
    t.strictSame(later.waits, []);
    const soon = scene([failed(limited(2))], ANSWER);
    t.strictSame(await partsOf(soon.provider, asking), ANSWER);
    const silent = scene([failed({ ...transient(), isTimeout: true } as ModelFailure)]);
    await partsOf(silent.provider, asking);
    t.equal(silent.asked(), 1);
  },
);
