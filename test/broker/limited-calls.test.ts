import t, { type Test } from "tap";
import { aiSdkProvider } from "../../src/engine/model/ai-sdk-provider.ts";
import { brokerFetch } from "../../src/engine/model/broker-fetch.ts";
import { importFamily } from "../../src/engine/model/create-provider.ts";
import { KEY, partsOf, requestTo } from "../engine/model/adapter.ts";
import { chatText } from "../engine/model/two-providers.ts";
import { refuses, startUpstream, streams } from "../engine/model/upstream.ts";
import { FRAMES, REMOTES, type Remote } from "../engine/model/wire-formats.ts";
import { startEngine } from "../helpers/engine.ts";
import { type TestBroker, startTestBroker } from "../helpers/model-broker.ts";

/** The last part of an answer to an engine. */
async function call(
  broker: TestBroker,
  { remote, baseUrl, engine }: { remote: Remote; baseUrl: string; engine: string },
) {
  const apiKey = broker.keyFor({ provider: remote, apiKey: KEY, baseUrl, engine });
  const settings = { apiKey, baseUrl: broker.url, fetch: brokerFetch(fetch) };
  const load = async () => (await importFamily(remote)).openFamily(settings);
  return (await partsOf(aiSdkProvider({ name: remote, load }), requestTo(remote))).at(-1);
}

t.test("what one engine's call has met, others are told in the provider's words, without a call", async (t) => {
  for (const remote of REMOTES)
    for (const status of [429, 503]) {
      const upstream = await startUpstream(t, refuses(status, {}, { "retry-after": "300" }), streams(FRAMES[remote]));
      const broker = await startTestBroker(t);
      const [met, told] = [
        await call(broker, { remote, baseUrl: upstream.url, engine: "eng_1" }),
        await call(broker, { remote, baseUrl: upstream.url, engine: "eng_2" }),
      ];
      if (met?.kind !== "failed" || told?.kind !== "failed" || !("retryAfterS" in told.failure))
        throw new Error(JSON.stringify([met, told]));
      const { retryAfterS, ...failure } = told.failure;
      t.match(met.failure, { kind: failure.kind, retryAfterS: 300 }, `${remote} ${status}`);
      t.ok(retryAfterS !== null && retryAfterS > 0 && retryAfterS <= 300, `${remote} ${status}: ${retryAfterS} s`);
      t.match(told.failure, { kind: status === 429 ? "rate_limited" : "transient" });
      t.equal(upstream.received.length, 1, `${remote} ${status}: the provider was asked once`);
      t.equal(broker.counts.report().calls[`${remote} cooldown`], 1);
      t.equal(broker.counts.open, 0);
    }
});

t.test("after the cooldown the call of one engine tries, and all go on", async (t) => {
  const upstream = await startUpstream(t, refuses(429, {}, { "retry-after-ms": "50" }), streams(FRAMES.anthropic));
  const broker = await startTestBroker(t);
  const one = (engine: string) => call(broker, { remote: "anthropic", baseUrl: upstream.url, engine });
  t.match(await one("eng_1"), { kind: "failed" });
  let last = await one("eng_2");
  // Until the cooldown ends, and the first call has tried.
  for (const end = performance.now() + 60_000; last?.kind === "failed" && performance.now() < end;)
    last = await one("eng_2");
  t.match(last, { kind: "done" });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => one(`eng_${at}`)));
  t.ok(answers.every((answer) => answer?.kind === "done"));
});

t.test("an engine that lies about its model with a second field closes no model for others", async (t) => {
  const upstream = await startUpstream(t, refuses(429, {}, { "retry-after": "300" }));
  const broker = await startTestBroker(t);
  const post = async (body: string) => {
    const key = broker.keyFor({ provider: "anthropic", apiKey: KEY, baseUrl: upstream.url });
    const answer = await fetch(`${broker.url}/messages`, { method: "POST", body, headers: { "x-api-key": key } });
    return { status: answer.status, text: await answer.text() };
  };
  for (let count = 0; count < 5; count++) t.match(await post('{"model":"opus","model":"tiny"}'), { status: 429 });
  t.equal(upstream.received.length, 5);
  await post('{"model":"opus"}');
  t.equal(upstream.received.length, 6, "the model itself was asked");
  t.match(await post('{"max_tokens":1,"model":"opus"}'), { status: 429, text: /"rate_limit_error"/ });
  t.equal(upstream.received.length, 6);
});

t.test("no words of a provider's answer to one user reach another user", async (t) => {
  const upstream = await startUpstream(
    t,
    refuses(429, { error: { message: "PRIVATE words of alice" } }, { "retry-after": "300", "x-echo": "PRIVATE" }),
  );
  const broker = await startTestBroker(t);
  const post = async (engine: string) => {
    const key = broker.keyFor({ provider: "openai", apiKey: KEY, baseUrl: upstream.url, engine });
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${broker.url}/responses`, { method: "POST", body: '{"model":"m"}', headers });
    return JSON.stringify([...answer.headers]) + (await answer.text());
  };
  t.match(await post("eng_1"), /PRIVATE/, "whose call it was has them");
  t.notMatch(await post("eng_2"), /PRIVATE|sk-/);
});

const asks = async (
  t: Test,
  broker: TestBroker,
  { first, second, engine }: Record<"first" | "second" | "engine", string>,
) => {
  const running = await startEngine(t, {
    settings: {
      LLM_PROVIDER: "anthropic",
      LLM_API_KEY: broker.keyFor({ provider: "anthropic", apiKey: KEY, baseUrl: first, engine }),
      LLM_BASE_URL: broker.url,
      LLM_MODEL: "claude-sonnet-5-5",
      LLM_OPENAI_COMPATIBLE_API_KEY: broker.keyFor({ provider: "openai-compatible", baseUrl: second, engine }),
      LLM_OPENAI_COMPATIBLE_BASE_URL: broker.url,
    },
    models: { allowed: null, fallback: ["openai-compatible:local"] },
  });
  const stream = await running.stream("/execute?events=model", { body: { task_id: "t", message: "go" } });
  const frames = await stream.all();
  return {
    changes: frames.filter(({ event }) => event === "model_changed").map(({ data }) => data),
    text: frames.flatMap(({ event, data }) => (event === "text_delta" ? data.text : [])).join(""),
  };
};

t.test("of all engines of a host one meets the limit of a key, and each one's next model answers", async (t) => {
  const limited = await startUpstream(t, refuses(429, {}, { "retry-after": "300" }));
  const other = await startUpstream(t, streams(chatText("by the second")));
  const broker = await startTestBroker(t);
  for (const engine of ["eng_1", "eng_2", "eng_3"]) {
    const { changes, text } = await asks(t, broker, { first: limited.url, second: other.url, engine });
    t.match(changes, [{ reason: "rate_limited", to: "openai-compatible:local" }], engine);
    t.equal(text, "by the second");
  }
  t.equal(limited.received.length, 1);
});
