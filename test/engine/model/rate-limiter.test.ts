import t from "tap";
import type { ModelPart, ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { RateLimiter } from "../../../src/engine/model/rate-limiter.ts";
import { retryingProvider } from "../../../src/engine/model/retrying-provider.ts";
import { partsOf, requestTo } from "./adapter.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const INTERACTIVE = requestTo("anthropic");
const BACKGROUND: ModelRequest = { ...INTERACTIVE, priority: "background" };
const { model } = INTERACTIVE;
const ANSWER: readonly ModelPart[] = [
  { kind: "done", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 } },
];
const limited = (retryAfterS: number): ModelPart => ({
  kind: "failed",
  failure: { kind: "rate_limited", message: "m", retryAfterS },
  usage: null,
});

/** A provider with scripted answers, on a clock that moves to the next waiter's time when all calls wait. */
function scripted(...answers: readonly (readonly ModelPart[])[]) {
  const limiter = new RateLimiter();
  const waiters: { readonly atMs: number; readonly resolve: () => void }[] = [];
  const waits: number[] = [];
  let now = NOW;
  let calls = 0;
  const advance = () => {
    const waiter = waiters.sort((left, right) => left.atMs - right.atMs).shift();
    if (waiter === undefined) return;
    now = Math.max(now, waiter.atMs);
    waiter.resolve();
  };
  const inner: ModelProvider = {
    name: "anthropic",
    async *stream(_request, signal) {
      if (signal.aborted) yield { kind: "failed", failure: { kind: "aborted" }, usage: null };
      else yield* answers[Math.min(calls++, answers.length - 1)] ?? [];
    },
  };
  const provider = retryingProvider(inner, {
    limiter,
    random: () => 0,
    clock: () => now,
    delay: async (ms, signal) => {
      if (signal.aborted) return false;
      waits.push(ms);
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.push({ atMs: now + ms, resolve });
      setImmediate(advance);
      await promise;
      return !signal.aborted;
    },
  });
  return { provider, limiter, waits, calls: () => calls, now: () => now };
}

t.test("a model is closed until the latest retry-after, and other models are open", async (t) => {
  const limiter = new RateLimiter();
  limiter.close(model, NOW + 20_000);
  limiter.close(model, NOW + 10_000);
  t.equal(limiter.closedForMs(model, NOW), 20_000);
  t.equal(limiter.closedForMs(model, NOW + 20_000), 0);
  t.equal(limiter.closedToBackgroundMs(model, NOW + 19_999), 1);
  t.equal(limiter.closedForMs("another", NOW), 0);
});

t.test("a model is closed to background calls while an interactive call waits", async (t) => {
  const limiter = new RateLimiter();
  const wait = Promise.withResolvers<void>();
  const waiting = limiter.waiting(INTERACTIVE, () => wait.promise);
  t.equal(limiter.closedToBackgroundMs(model, NOW), 1000);
  t.equal(limiter.closedForMs(model, NOW), 0);
  t.equal(limiter.closedToBackgroundMs("another", NOW), 0);
  wait.resolve();
  await waiting;
  t.equal(limiter.closedToBackgroundMs(model, NOW), 0);
  await limiter.waiting(BACKGROUND, async () => t.equal(limiter.closedToBackgroundMs(model, NOW), 0));
});

t.test("a background call is sent after every interactive call that waits, including later ones", async (t) => {
  const { provider, limiter, calls, now } = scripted([limited(2)], [limited(3)], ANSWER);
  const order: string[] = [];
  const call = async (name: string, request: ModelRequest) => {
    t.match(await partsOf(provider, request), ANSWER);
    order.push(name);
  };
  const first = call("first", INTERACTIVE);
  await new Promise(setImmediate);
  const learning = call("learning", BACKGROUND);
  t.ok(limiter.closedToBackgroundMs(model, now()) > 0);
  const second = call("second", INTERACTIVE);
  await Promise.all([first, learning, second]);
  t.equal(order.at(-1), "learning");
  t.equal(calls(), 5);
});

t.test("a background call that would wait for more than a minute fails at once and is not sent", async (t) => {
  const { provider, limiter, waits, calls } = scripted(ANSWER);
  limiter.close(model, NOW + 61_000);
  t.match(await partsOf(provider, BACKGROUND), [{ failure: { kind: "rate_limited", retryAfterS: 61 } }]);
  t.match(await partsOf(provider, { ...BACKGROUND, model: "another" }), ANSWER);
  t.strictSame(waits, []);
  t.equal(calls(), 1);
});

t.test("a background call waits for a limit of less than a minute", async (t) => {
  const { provider, limiter, waits } = scripted(ANSWER);
  limiter.close(model, NOW + 20_000);
  t.match(await partsOf(provider, BACKGROUND), ANSWER);
  t.strictSame(waits, [20_000]);
});

t.test("a call that is aborted while it waits is not sent", async (t) => {
  for (const request of [INTERACTIVE, BACKGROUND]) {
    const { provider, limiter, calls } = scripted(ANSWER);
    limiter.close(model, NOW + 20_000);
    t.match(await partsOf(provider, request, AbortSignal.abort()), [{ failure: { kind: "aborted" } }]);
    t.equal(calls(), 0);
  }
});
