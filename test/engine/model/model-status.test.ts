import t from "tap";
import { createModelStatus } from "../../../src/engine/model/model-status.ts";
import type { ModelFailure, ModelPart, ModelProvider } from "../../../src/engine/model/model-provider.ts";
import { retryingProvider } from "../../../src/engine/model/retrying-provider.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";
import { partsOf, requestTo } from "./adapter.ts";
import { deadAddress } from "./upstream.ts";

const request = requestTo("anthropic");
const transient: ModelFailure = { kind: "transient", message: "connect failed", status: null, retryAfterS: null };
const failed = (failure: ModelFailure): ModelPart => ({ kind: "failed", failure, usage: null });
const done: ModelPart = {
  kind: "done",
  reason: "stop",
  usage: { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 },
};

/** A status beside a provider that answers each call with the next parts; `seen` is the status during each wait. */
function scene(...calls: readonly (readonly ModelPart[])[]) {
  const lines: string[] = [];
  const logger = createLogger("test", "info", { write: (line: string) => void lines.push(line) });
  let now = Date.parse("2026-03-04T10:00:00Z");
  const status = createModelStatus(logger, () => now);
  const seen: ReturnType<typeof status.health>[] = [];
  let asked = 0;
  const inner: ModelProvider = {
    name: "anthropic",
    async *stream() {
      yield* calls[Math.min(asked++, calls.length - 1)] ?? [];
    },
  };
  const provider = retryingProvider(inner, {
    random: () => 0,
    clock: () => now,
    report: status.report,
    async delay(ms) {
      seen.push(status.health());
      now += ms;
      return true;
    },
  });
  return { status, seen, provider, log: () => lines.map((line) => JSON.parse(line)) };
}

t.test("each retry is logged and in the status until an answer comes", async (t) => {
  const { status, seen, provider, log } = scene([failed(transient)], [failed(transient)], [done]);
  t.same(status.health(), { status: "unknown", last_error: null, last_error_at: null, next_try_at: null });
  await partsOf(provider, request);
  const error = { status: "retrying", last_error: "connect failed" };
  t.same(seen, [
    { ...error, last_error_at: "2026-03-04T10:00:00.000Z", next_try_at: "2026-03-04T10:00:01.000Z" },
    { ...error, last_error_at: "2026-03-04T10:00:01.000Z", next_try_at: "2026-03-04T10:00:03.000Z" },
  ]);
  t.match(status.health(), { status: "ok", last_error: "connect failed", next_try_at: null });
  t.match(log(), [
    {
      level: 40,
      msg: "failed to call the model; retrying",
      model: request.model,
      error: "connect failed",
      try: 1,
      next_try_in_s: 1,
    },
    { try: 2, next_try_in_s: 2 },
  ]);
});

t.test("a failed call is logged once, and an aborted one is not", async (t) => {
  const cases: readonly (readonly [ModelFailure, string])[] = [
    [{ kind: "permanent", message: "answered 401", status: 401 }, "failing"],
    [{ kind: "rate_limited", message: "limited", retryAfterS: 90 }, "failing"],
    [{ kind: "aborted" }, "unknown"],
    [{ kind: "too_long", message: "too long" }, "ok"],
  ];
  for (const [failure, expected] of cases) {
    const { status, provider, log } = scene([failed(failure)]);
    await partsOf(provider, request);
    t.match(status.health(), { status: expected, next_try_at: null }, failure.kind);
    t.equal(log().filter(({ msg }) => msg === "failed to call the model").length, expected === "failing" ? 1 : 0);
  }
  const busy = scene([failed({ kind: "rate_limited", message: "limited", retryAfterS: 500 })]);
  await partsOf(busy.provider, request);
  await partsOf(busy.provider, { ...request, priority: "background" });
  t.equal(busy.log().length, 1, "a call that is not even made while the limit is closed is no news");
  const broken = scene([{ kind: "block_start", block: "text" }, failed(transient)]);
  await partsOf(broken.provider, request);
  t.match(
    broken.status.health(),
    { status: "failing", last_error: "connect failed" },
    "in the middle of an answer too",
  );
});

t.test("the health of an engine shows an unreachable model during retries", async (t) => {
  const url = await deadAddress();
  const settings = { LLM_PROVIDER: "openai-compatible", LLM_API_KEY: "sk-geheim-1234567", LLM_MODEL: "gpt-x" };
  const engine = await startEngine(t, { settings: { ...settings, LLM_BASE_URL: url } });
  const stream = await engine.execute({ task_id: "one", message: "SECRET question" });
  const model = async () => (await engine.call("/health")).body.model;
  const retrying = await until("it tries again", async () => {
    const now = await model();
    return now?.status === "retrying" && now;
  });
  t.equal(retrying.last_error, `connect ECONNREFUSED ${new URL(url).host} (openai-compatible, gpt-x)`);
  t.ok(Date.parse(retrying.next_try_at) > Date.parse(retrying.last_error_at));
  await until("the log has it", () => engine.output().includes("failed to call the model; retrying"));
  const frames = await stream.all(60_000);
  t.match(frames.at(-1), {
    event: "error",
    data: { error: "LLM_PROVIDER_ERROR", message: /^connect ECONNREFUSED .*gpt-x\)$/ },
  });
  t.match(await model(), { status: "failing" });
  t.notMatch(`${engine.output()}${JSON.stringify(await model())}`, /geheim|SECRET/);
});
