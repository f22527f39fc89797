import t, { type Test } from "tap";
import { CALL_FIELDS, boundsOf } from "../../src/broker/request-body.ts";
import { TopLevelFields } from "../../src/broker/top-level-fields.ts";
import { UsageScanner } from "../../src/broker/usage-scanner.ts";
import type { AnswerTo } from "../../src/contract/broker/questions.ts";
import { aiSdkProvider } from "../../src/engine/model/ai-sdk-provider.ts";
import { brokerFetch } from "../../src/engine/model/broker-fetch.ts";
import { importFamily } from "../../src/engine/model/create-provider.ts";
import { KEY, adapterTo, partsOf, requestTo } from "../engine/model/adapter.ts";
import { type Behaviour, cutsAfter, deadAddress, refuses, startUpstream, streams } from "../engine/model/upstream.ts";
import { FRAMES, REMOTES, type Remote } from "../engine/model/wire-formats.ts";
import { type AnsweringDaemon, startAnsweringDaemon } from "../helpers/answering-daemon.ts";
import { startTestBroker } from "../helpers/model-broker.ts";
import { until } from "../helpers/until.ts";

const BUDGETED = () => ({ is_current: true, has_budgets: true, tool_network: "open" as const });

async function budgeted(t: Test, remote: Remote, behaviour: Behaviour, verdict?: AnswerTo<"reserve">) {
  const upstream = await startUpstream(t, behaviour);
  const daemon = await startAnsweringDaemon(t, { engine: BUDGETED, ...(verdict && { reserve: () => verdict }) });
  const broker = await startTestBroker(t, daemon.url);
  const settings = {
    apiKey: broker.keyFor({ provider: remote, apiKey: KEY, baseUrl: upstream.url }),
    baseUrl: broker.url,
    fetch: brokerFetch(fetch, () => true),
  };
  const provider = aiSdkProvider({ name: remote, load: async () => (await importFamily(remote)).openFamily(settings) });
  return { upstream, daemon, broker, provider };
}

const settlement = (daemon: AnsweringDaemon) =>
  until("it is settled", () => daemon.asked.find(({ name }) => name === "settle")?.body) as Promise<
    Record<"id" | "input" | "output" | "cache_read" | "cache_write", unknown>
  >;

t.test("the broker reads the count of every provider as the engine does", async (t) => {
  for (const remote of REMOTES) {
    const { upstream, daemon, provider } = await budgeted(t, remote, streams(FRAMES[remote]));
    const done = (await partsOf(provider, requestTo(remote))).at(-1);
    if (done?.kind !== "done") throw new Error(`${remote}: ${JSON.stringify(done)}`);
    const { inputTokens, outputTokens, cacheHitTokens, cacheWriteTokens = 0 } = done.usage;
    const { id, ...used } = await settlement(daemon);
    t.same(
      used,
      { input: inputTokens, output: outputTokens, cache_read: cacheHitTokens, cache_write: cacheWriteTokens },
      remote,
    );
    const reserved = daemon.asked.find(({ name }) => name === "reserve")?.body as Record<string, unknown>;
    const { model, maxOutputTokens } = requestTo(remote);
    t.match(
      reserved,
      { id, engine: "eng_1", provider: remote, model, output: maxOutputTokens },
      `${remote}: before it`,
    );
    t.equal(upstream.received[0]?.headers["x-orchd-budgeted"], undefined);
    const direct = await startUpstream(t, streams(FRAMES[remote]));
    await partsOf(adapterTo(remote, direct.url), requestTo(remote));
    t.equal(upstream.received[0]?.text, direct.received[0]?.text, `${remote}: the bytes of the request`);
  }
});

t.test("a count is read however its bytes are split, and a model that writes one cannot lower it", async (t) => {
  const bytes = Buffer.concat(FRAMES.anthropic.map((frame) => Buffer.from(frame)));
  for (const size of [1, 7, 100, bytes.length]) {
    const scanner = new UsageScanner();
    for (let at = 0; at < bytes.length; at += size) scanner.see(bytes.subarray(at, at + size));
    t.same(scanner.usage(), { input: 100, output: 30, cache_read: 70, cache_write: 10 }, `${size} bytes`);
  }
  const forged = new UsageScanner();
  forged.see(Buffer.from('{"usage":{"input_tokens":20,"output_tokens":9},'));
  forged.see(Buffer.from('"content":[{"input":{"usage":{"input_tokens":0,"output_tokens":0}}}]}'));
  t.same(forged.usage(), { input: 20, output: 9, cache_read: 0, cache_write: 0 });
  const long = new UsageScanner();
  long.see(Buffer.from(`{"usage":{"a":"${"x".repeat(100_000)}`));
  t.equal(long.usage(), null);
});

t.test("a refused budget is an error of the budget, and reaches no provider", async (t) => {
  const verdict = {
    verdict: "refused",
    message: "spent",
    details: { budget: "engine.tokens_per_day", retry_after: 5 },
  };
  const { upstream, daemon, broker, provider } = await budgeted(
    t,
    "anthropic",
    refuses(200, "reached"),
    verdict as AnswerTo<"reserve">,
  );
  const [part] = await partsOf(provider, requestTo("anthropic"));
  t.match(part, { kind: "failed", failure: { kind: "over_budget", message: "spent", details: verdict.details } });
  t.equal(upstream.received.length, 0);
  t.match(broker.counts.report().calls, { "anthropic over_budget": 1 });
  t.same(
    daemon.asked.map(({ name }) => name),
    ["engine", "reserve"],
  );
});

t.test("a call that fails costs nothing, and one that is cut what had come", async (t) => {
  const refused = await budgeted(t, "openai", refuses(500, "{}"));
  await partsOf(refused.provider, requestTo("openai"));
  t.match(await settlement(refused.daemon), { input: 0, output: 0 });
  const cut = await budgeted(t, "anthropic", cutsAfter(10, FRAMES.anthropic));
  await partsOf(cut.provider, requestTo("anthropic"));
  const { input, output } = (await settlement(cut.daemon)) as { input: number; output: number };
  t.equal(input, 100, "the provider had told it");
  t.ok(output > 10, `${output} tokens of its answer`);
});

t.test("without a daemon a call of an unknown engine fails as one that may be tried again", async (t) => {
  const upstream = await startUpstream(t, refuses(200, "reached"));
  const broker = await startTestBroker(t, (await deadAddress()).replace("/v1", ""));
  const key = broker.keyFor({ provider: "anthropic", apiKey: KEY, baseUrl: upstream.url });
  const answer = await fetch(`${broker.url}/messages`, { method: "POST", body: "{}", headers: { "x-api-key": key } });
  t.equal(answer.status, 503);
  t.equal(answer.headers.get("retry-after"), "1");
  t.equal(upstream.received.length, 0);
});

t.test("what a request may cost is read from its own fields alone", async (t) => {
  const bounds = (text: string) => {
    const reader = new TopLevelFields(CALL_FIELDS);
    reader.see(Buffer.from(text));
    return reader.fields && boundsOf(reader.fields, text.length);
  };
  t.match(bounds('{"model":"m","max_tokens":5}'), { output: 5 });
  t.match(bounds('{"messages":[{"model":"cheap","max_tokens":1}],"model":"dear","n":3,"max_tokens":7}'), {
    output: 21,
  });
  t.match(bounds('{"a":"\\"max_tokens\\":1","model" : "m" }'), { output: 131_072 });
  t.match(bounds('{"generationConfig":{"maxOutputTokens":9}}'), { output: 9 });
  t.match(bounds('{"inferenceConfig":{"maxTokens":8}}'), { output: 8 });
  for (const text of [
    "",
    "[]",
    "{",
    '{"model":"dear","model":"cheap"}',
    '{"model":"dear","\\u006dodel":"cheap"}',
    '{"background":true}',
    '{"model":"m"',
  ])
    t.equal(bounds(text), null, text);
});
