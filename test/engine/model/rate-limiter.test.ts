import t from "tap";
import type { ModelPart, ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { rateReadings } from "../../../src/engine/model/rate-headers.ts";
import { RateLimiter } from "../../../src/engine/model/rate-limiter.ts";
import { retryingProvider } from "../../../src/engine/model/retrying-provider.ts";
import { requestTokens } from "../../../src/engine/model/token-estimate.ts";
import { partsOf, requestTo } from "./adapter.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const anthropic = (kind: string, limit: number, remaining: number, resetS: number) => ({
  [`anthropic-ratelimit-${kind}-limit`]: String(limit),
  [`anthropic-ratelimit-${kind}-remaining`]: String(remaining),
  [`anthropic-ratelimit-${kind}-reset`]: new Date(NOW + resetS * 1000).toISOString(),
});
const openai = (kind: string, limit: number, remaining: number, reset: string) => ({
  [`x-ratelimit-limit-${kind}`]: String(limit),
  [`x-ratelimit-remaining-${kind}`]: String(remaining),
  [`x-ratelimit-reset-${kind}`]: reset,
});
const asking = (characters = 40): ModelRequest =>
  requestTo("anthropic", { system: "", tools: [], messages: [{ role: "user", text: "x".repeat(characters) }] });
/** A call that has been made and answered, with what the provider said. */
function answered(limiter: RateLimiter, headers: Readonly<Record<string, string>>, nowMs = NOW): void {
  const request = asking();
  limiter.reserve(request, nowMs);
  limiter.heard(request, headers, nowMs);
  limiter.over(request, { made: true, nowMs });
}

t.test("limits are read in the words of each provider, and what is odd is left out", async (t) => {
  t.strictSame(
    rateReadings({ ...anthropic("requests", 50, 20, 36), ...anthropic("input-tokens", 30_000, 0, 60) }, NOW),
    [
      { kind: "requests", limit: 50, remaining: 20, fullAtMs: NOW + 36_000 },
      { kind: "input", limit: 30_000, remaining: 0, fullAtMs: NOW + 60_000 },
    ],
  );
  t.strictSame(
    rateReadings({ ...openai("requests", 500, 499, "120ms"), ...openai("tokens", 30_000, 5, "6m0s") }, NOW),
    [
      { kind: "requests", limit: 500, remaining: 499, fullAtMs: NOW + 120 },
      { kind: "tokens", limit: 30_000, remaining: 5, fullAtMs: NOW + 360_000 },
    ],
  );
  t.match(rateReadings(openai("requests", 10, 12, "1h2m3.5s"), NOW), [{ remaining: 10, fullAtMs: NOW + 3_723_500 }]);
  t.match(rateReadings(openai("requests", 10, 1, "7"), NOW), [{ fullAtMs: NOW + 7000 }]);
  t.match(rateReadings(anthropic("requests", 10, 1, -60), NOW), [{ fullAtMs: NOW }], "a reset that has been");
  for (const odd of [
    openai("requests", -1, -1, "1s"),
    openai("requests", 10, Number.NaN, "1s"),
    openai("requests", 10, 5, "soon"),
    openai("requests", 10, 5, ""),
    { "x-ratelimit-limit-requests": "10" },
    { "anthropic-ratelimit-requests-limit": "1e9", "anthropic-ratelimit-requests-remaining": "1" },
    {},
  ]) {
    t.strictSame(rateReadings(odd, NOW), [], JSON.stringify(odd));
  }
});

t.test("a provider that says nothing of limits is not held back", async (t) => {
  const limiter = new RateLimiter();
  answered(limiter, {});
  const waits = Array.from({ length: 1000 }, () => limiter.reserve(asking(), NOW));
  t.ok(waits.every((wait) => wait === 0));
});

t.test("calls wait for the requests that are left, each behind the one before", async (t) => {
  const limiter = new RateLimiter();
  answered(limiter, anthropic("requests", 60, 2, 58));
  const waits = [0, 1, 2, 3, 4].map(() => Math.round(limiter.reserve(asking(), NOW)));
  t.strictSame(waits, [0, 0, 1000, 2000, 3000]);
});

t.test("what comes back with time may be used, and never more than the limit", async (t) => {
  const limiter = new RateLimiter();
  answered(limiter, anthropic("requests", 3, 0, 60));
  t.equal(Math.round(limiter.reserve(asking(), NOW + 20_000)), 0, "a third of a minute, a third of three");
  t.equal(Math.round(limiter.reserve(asking(), NOW + 20_000)), 20_000);
  const rested = new RateLimiter();
  answered(rested, anthropic("requests", 3, 0, 60));
  const waits = [0, 1, 2, 3].map(() => Math.round(rested.reserve(asking(), NOW + 3_600_000)));
  t.strictSame(waits, [0, 0, 0, 20_000]);
});

t.test("tokens are counted, and a call larger than the limit waits for all of it, not for ever", async (t) => {
  const limiter = new RateLimiter();
  answered(limiter, anthropic("input-tokens", 10_000, 5000, 30));
  const large = asking(400_000);
  t.equal(Math.round(limiter.reserve(large, NOW) / 1000), 30);
  limiter.over(large, { made: false, nowMs: NOW });
  t.equal(limiter.reserve(asking(4000), NOW), 0, "what was given up is there again");
});

t.test("cache hits are not charged where the provider does not", async (t) => {
  const request = asking(40_000);
  const cached = { inputTokens: requestTokens(request), outputTokens: 1, cacheHitTokens: requestTokens(request) - 10 };
  for (const [headers, waits] of [
    [anthropic("input-tokens", 20_000, 1000, 60), false],
    [openai("tokens", 20_000, 1000, "60s"), true],
  ] as const) {
    const limiter = new RateLimiter();
    answered(limiter, headers);
    limiter.used(request, cached);
    t.equal(limiter.reserve(asking(40_000), NOW) > 0, waits);
  }
});

t.test("what the provider says counts more than what was reckoned, less the calls it has not answered", async (t) => {
  const limiter = new RateLimiter();
  answered(limiter, anthropic("requests", 60, 10, 50));
  const open = [asking(), asking(), asking()];
  for (const request of open) limiter.reserve(request, NOW);
  answered(limiter, anthropic("requests", 60, 4, 56));
  t.equal(limiter.reserve(asking(), NOW), 0, "one of four is not yet spoken for");
  t.ok(limiter.reserve(asking(), NOW) > 0);
  const silent = new RateLimiter();
  answered(silent, anthropic("requests", 60, 1, 59));
  const cut = asking();
  silent.reserve(cut, NOW);
  silent.over(cut, { made: true, nowMs: NOW });
  t.ok(silent.reserve(asking(), NOW) > 0, "a call without an answer was made all the same");
});

t.test("a background call takes only what is above a quarter of each limit", async (t) => {
  const limiter = new RateLimiter();
  answered(limiter, { ...anthropic("requests", 60, 17, 43), ...anthropic("input-tokens", 10_000, 3000, 42) });
  const small = { ...asking(40), priority: "background" } as const;
  t.equal(limiter.closedForMs(small.model, NOW), 0);
  t.equal(limiter.reserveSpare(small, NOW), 0);
  t.equal(limiter.reserveSpare({ ...small }, NOW), 0);
  t.equal(Math.round(limiter.reserveSpare({ ...small }, NOW)), 1000, "two were above it");
  t.equal(Math.round(limiter.closedForMs(small.model, NOW)), 1000);
  limiter.over(small, { made: false, nowMs: NOW });
  const large = { ...asking(4000), priority: "background" } as const;
  t.ok(limiter.reserveSpare(large, NOW) > 1000, "a thousand tokens are not");
  t.equal(limiter.reserve(asking(4000), NOW), 0, "turns have the rest, of which the waiting took nothing");
});

t.test("a background call larger than the limit waits for all of it, not for ever", async (t) => {
  const limiter = new RateLimiter();
  answered(limiter, anthropic("input-tokens", 10_000, 5000, 30));
  const large = { ...asking(400_000), priority: "background" } as const;
  t.equal(Math.round(limiter.reserveSpare(large, NOW) / 1000), 30);
  t.equal(limiter.reserveSpare(large, NOW + 30_000), 0);
});

t.test("without limits a background call goes at once, and another model's are not its own", async (t) => {
  const limiter = new RateLimiter();
  const small = { ...asking(), priority: "background" } as const;
  t.equal(limiter.reserveSpare(small, NOW), 0);
  answered(limiter, anthropic("requests", 60, 0, 60));
  limiter.gate.close(small.model, NOW + 20_000);
  t.equal(limiter.closedForMs("another", NOW), 0);
  t.equal(limiter.reserveSpare({ ...small, model: "another" }, NOW), 0);
  t.equal(limiter.closedForMs(small.model, NOW), 20_000, "what the provider asked for");
  t.equal(Math.round(limiter.closedForMs(small.model, NOW + 19_000)), 1000);
});

const ANSWER: readonly ModelPart[] = [
  { kind: "done", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 } },
];
/** A provider whose answers carry the given headers, on a clock that only waits move. */
function scene(...said: readonly Readonly<Record<string, string>>[]) {
  const limiter = new RateLimiter();
  const waits: number[] = [];
  let now = NOW;
  let asked = 0;
  const inner: ModelProvider = {
    name: "anthropic",
    async *stream(request) {
      limiter.heard(request, said[Math.min(asked++, said.length - 1)] ?? {}, now);
      yield* ANSWER;
    },
  };
  const provider = retryingProvider(inner, {
    limiter,
    random: () => 0,
    clock: () => now,
    async delay(ms, signal) {
      waits.push(Math.round(ms));
      now += ms;
      return !signal.aborted;
    },
  });
  return { provider, waits, asked: () => asked, limiter };
}

t.test("a call waits its turn and then is made once", async (t) => {
  const { provider, waits, asked } = scene(anthropic("requests", 60, 0, 60), {});
  await partsOf(provider, asking());
  t.match(await partsOf(provider, asking()), ANSWER);
  t.strictSame(waits, [1000]);
  t.equal(asked(), 2);
});

t.test("one that would wait for more than a minute is told so at once, and takes nothing", async (t) => {
  const { provider, waits, asked, limiter } = scene(openai("requests", 200, 0, "12h"));
  await partsOf(provider, asking());
  for (let call = 0; call < 5; call++)
    t.match(await partsOf(provider, asking()), [{ failure: { kind: "rate_limited", retryAfterS: 216 } }]);
  t.strictSame(waits, []);
  t.equal(asked(), 1);
  t.equal(Math.round(limiter.reserve(asking(), NOW) / 1000), 216);
});

t.test("one that is aborted in the queue leaves it", async (t) => {
  const { provider, asked, limiter } = scene(anthropic("requests", 60, 0, 60));
  await partsOf(provider, asking());
  t.match(await partsOf(provider, asking(), AbortSignal.abort()), [{ failure: { kind: "aborted" } }]);
  t.equal(asked(), 1);
  t.equal(limiter.reserve(asking(), NOW + 1000), 0);
});

t.test("a background call is made after every turn's call that waits, those that came later too", async (t) => {
  const { provider, limiter, asked, now } = onHand();
  const background = { ...asking(), priority: "background" } as const;
  await partsOf(provider, asking());
  const order: string[] = [];
  const call = (name: string, request: ModelRequest) =>
    partsOf(provider, request).then((parts) => {
      t.match(parts, ANSWER);
      order.push(name);
    });
  const first = call("first", asking());
  const learning = call("learning", background);
  t.ok(limiter.closedForMs(background.model, now()) > 0);
  const second = call("second", asking());
  await Promise.all([first, learning, second]);
  t.strictSame(order, ["first", "second", "learning"]);
  t.equal(asked(), 4);
});

t.test("a background call that would wait for more than a minute is told so, and has taken nothing", async (t) => {
  const { provider, waits, asked, limiter } = scene(openai("requests", 200, 0, "12h"));
  await partsOf(provider, asking());
  const background = { ...asking(), priority: "background" } as const;
  t.match(await partsOf(provider, background), [{ failure: { kind: "rate_limited", retryAfterS: 11_016 } }]);
  t.match(await partsOf(provider, { ...background, model: "another" }), ANSWER);
  t.strictSame(waits, []);
  t.equal(asked(), 2);
  t.equal(Math.round(limiter.reserve(asking(), NOW) / 1000), 216);
});

t.test("a background call that is aborted while it waits is over", async (t) => {
  const { provider, asked } = scene(anthropic("requests", 60, 0, 60));
  await partsOf(provider, asking());
  const background = { ...asking(), priority: "background" } as const;
  t.match(await partsOf(provider, background, AbortSignal.abort()), [{ failure: { kind: "aborted" } }]);
  t.equal(asked(), 1);
});

/** A provider that has told once that nothing is left, on a clock that goes on to the next waiter's time when all wait. */
function onHand() {
  const limiter = new RateLimiter();
  const waiters: { readonly atMs: number; readonly go: () => void }[] = [];
  let now = NOW;
  let asked = 0;
  const next = () => {
    waiters.sort((one, other) => one.atMs - other.atMs);
    const waiter = waiters.shift();
    if (waiter === undefined) return;
    now = Math.max(now, waiter.atMs);
    waiter.go();
  };
  const provider = retryingProvider(
    {
      name: "anthropic",
      async *stream(request) {
        limiter.heard(request, asked++ === 0 ? anthropic("requests", 60, 0, 60) : {}, now);
        yield* ANSWER;
      },
    },
    {
      limiter,
      random: () => 0,
      clock: () => now,
      delay: (ms) =>
        new Promise((resolve) => {
          waiters.push({ atMs: now + ms, go: () => resolve(true) });
          setImmediate(next);
        }),
    },
  );
  return { provider, limiter, asked: () => asked, now: () => now };
}
