import t, { type Test } from "tap";
import { type Frame, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { chatCall, chatText, anthropicText } from "./two-providers.ts";
import { type Behaviour, type Upstream, cutsAfter, refuses, silent, startUpstream, streams } from "./upstream.ts";

const KEYS = { first: "sk-first-0123456789-SECRET", second: "sk-second-0123456789-SECRET" };
const settings = (first: Upstream, second: Upstream) => ({
  LLM_PROVIDER: "anthropic",
  LLM_API_KEY: KEYS.first,
  LLM_BASE_URL: first.url,
  LLM_MODEL: "claude-sonnet-5-5",
  LLM_OPENAI_COMPATIBLE_API_KEY: KEYS.second,
  LLM_OPENAI_COMPATIBLE_BASE_URL: second.url,
  LLM_FIRST_TOKEN_TIMEOUT_S: "1",
});
const SSE = { headers: { accept: "text/event-stream" } };
const RULES = { allowed: null, fallback: ["openai-compatible:local"] };

async function scene(t: Test, first: readonly Behaviour[], second: readonly Behaviour[], more: object = {}) {
  const [upstream, other] = [await startUpstream(t, ...first), await startUpstream(t, ...second)];
  const engine = await startEngine(t, { settings: settings(upstream, other), models: RULES, ...more });
  return { engine, upstream, other };
}
const asks = async (engine: TestEngine, body: object, query = "?events=model") =>
  (await engine.stream(`/execute${query}`, { body: { task_id: "t", message: "go", ...body } })).all();
const seen = (frames: readonly Frame[], event: string) =>
  frames.filter((frame) => frame.event === event).map(({ data }) => data);
const sse = (...frames: readonly string[]): Behaviour => streams(frames);
const started = { type: "message", role: "assistant", content: [], usage: { input_tokens: 1, output_tokens: 1 } };
/** By model: how the provider fails, the reason that is told, and how often it is called. */
const FAILURES: Readonly<Record<string, readonly [Behaviour, string, number]>> = {
  overloaded: [
    refuses(529, { type: "error", error: { type: "overloaded_error", message: "SECRET" } }),
    "overloaded",
    2,
  ],
  "limited-for-a-minute": [refuses(429, {}, { "retry-after": "60" }), "rate_limited", 1],
  "limited-for-years": [refuses(429, {}, { "retry-after": "999999999" }), "rate_limited", 1],
  "limited-for-no-time": [refuses(503, {}, { "retry-after": "soon, -1" }), "overloaded", 2],
  "out-of-credit": [refuses(429, { error: { type: "insufficient_quota" } }), "rate_limited", 1],
  faulty: [refuses(500, {}), "server_error", 2],
  silent: [silent, "timeout", 1],
  cut: [(response) => response.destroy(), "connection", 2],
  "fails-in-its-stream": [
    sse(
      `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { id: "m", model: "m", ...started } })}\n\n`,
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"SECRET"}}\n\n',
    ),
    "overloaded",
    2,
  ],
  "ends-without-a-part": [sse(": nothing\n\n"), "connection", 2],
  "no-stream": [refuses(200, "<html>SECRET</html>"), "connection", 2],
};

t.test("after each kind of failure a model of another provider answers", async (t) => {
  const { engine, upstream, other } = await scene(
    t,
    [(response) => FAILURES[upstream.received.at(-1)?.body.model]?.[0](response)],
    [streams(chatText("by the second"))],
  );
  const turns = Object.entries(FAILURES).map(async ([model, [, reason, calls]]) => {
    const frames = await asks(engine, { model, task_id: model });
    t.match(seen(frames, "model_changed"), [{ from: model, to: "openai-compatible:local", reason }], model);
    t.match(seen(frames, "text_delta"), [{ text: "by the second" }], model);
    t.match(seen(frames, "usage"), [{ input_tokens: 11, output_tokens: 2 }], model);
    t.equal(upstream.received.filter(({ body }) => body.model === model).length, calls, model);
    return frames;
  });
  const frames = (await Promise.all(turns)).flat();
  t.match(other.received[0], { headers: { authorization: `Bearer ${KEYS.second}` }, body: { model: "local" } });
  const { body: status } = await engine.control("/control/status?usage=");
  const failing: readonly { model: string; reason: string; for_ms: number }[] = status.cooldowns;
  t.same(
    Object.fromEntries(failing.map(({ model, reason }) => [model, reason])),
    Object.fromEntries(Object.entries(FAILURES).map(([model, [, reason]]) => [model, reason])),
  );
  t.ok(
    failing.every(({ for_ms: ms }) => ms <= 600_000),
    "at most ten minutes",
  );
  const counted = status.usage.rows.filter(({ model }: { model: string }) => model === "local");
  const count = turns.length;
  t.match(counted, [{ provider: "openai-compatible", input_tokens: 11 * count, output_tokens: 2 * count }]);
  const { body: requests } = await engine.call(`/turns/${frames[0]?.data.turn_id}/requests`);
  t.match(requests.requests.at(-1), { provider: "openai-compatible", model: "local", context: { window: 128_000 } });
  t.notMatch(JSON.stringify([frames, status, requests]) + engine.output(), /SECRET/);
});

t.test("a client that does not ask for the event gets none, also in a replay", async (t) => {
  const { engine } = await scene(t, [refuses(529, {})], [streams(chatText("hello"))]);
  const frames = await asks(engine, {}, "");
  t.same(seen(frames, "model_changed"), []);
  const turn = frames[0]?.data.turn_id;
  const replay = async (query: string) =>
    seen(await (await engine.stream(`/execute/replay?task_id=t&turn_id=${turn}${query}`, SSE)).all(), "model_changed");
  t.same(await replay(""), []);
  t.equal((await replay("&events=model")).length, 1);
});

t.test("an answer that is cut is asked for again in the same turn, of the same model", async (t) => {
  const behaviours = [cutsAfter(3, anthropicText("half")), streams(anthropicText("whole"))];
  const { engine, upstream, other } = await scene(t, behaviours, [streams(chatText("hello"))]);
  const frames = await asks(engine, {});
  t.match(frames.at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  t.match(seen(frames, "content_block_start"), [{ block_index: 0 }, { block_index: 1, replaces_from: 0 }]);
  t.match(seen(frames, "text_delta"), [{ text: "half" }, { text: "whole" }]);
  t.same([upstream.received.length, other.received.length], [2, 0]);
  await asks(engine, {});
  t.notMatch(upstream.received.at(-1)?.text, /half/, "what was replaced is not in the conversation");
});

t.test("a turn may name a model of another provider, which loads it at its first call", async (t) => {
  const { engine, upstream, other } = await scene(t, [streams(anthropicText("first"))], [streams(chatText("second"))]);
  t.match(seen(await asks(engine, { model: "openai-compatible:small" }), "text_delta"), [{ text: "second" }]);
  t.equal(other.received[0]?.body.model, "small");
  t.match(seen(await asks(engine, {}), "text_delta"), [{ text: "first" }]);
  t.match(seen(await asks(engine, { model: "claude-haiku-5-5" }), "text_delta"), [{ text: "first" }]);
  t.equal(upstream.received.at(-1)?.body.model, "claude-haiku-5-5");
  const refused = async (model: string) =>
    (await engine.call("/execute", { body: { task_id: "t", message: "go", model } })).body;
  t.match(await refused("openai:gpt-6"), { error: "INVALID_REQUEST", message: /^model: .*LLM_OPENAI_API_KEY/ });
  t.match(await refused("with spaces"), { error: "INVALID_REQUEST", message: /^model: / });
  await engine.control("/control/models", { body: { allowed: ["claude-haiku-*"], fallback: [], cooldowns: [] } });
  t.match(await refused("openai-compatible:small"), { error: "POLICY_DENIED", message: /^model: .*claude-haiku-\*/ });
  t.match(seen(await asks(engine, { model: "claude-haiku-5-5" }), "text_delta"), [{ text: "first" }]);
});

t.test("a bad key of another provider is an error that names its setting", async (t) => {
  const { engine } = await scene(t, [streams(anthropicText("first"))], [refuses(401, {})]);
  t.match((await asks(engine, { model: "openai-compatible:small" })).at(-1), {
    event: "error",
    data: { error: "LLM_PROVIDER_ERROR", message: /401: see LLM_OPENAI_COMPATIBLE_API_KEY/ },
  });
});

t.test("a model that cools down for another engine of the host is not called", async (t) => {
  const { engine, upstream } = await scene(t, [streams(anthropicText("first"))], [streams(chatText("second"))]);
  const cooldowns = [{ model: "anthropic:claude-sonnet-5-5", reason: "overloaded", for_ms: 60_000 }];
  await engine.control("/control/models", { body: { ...RULES, cooldowns } });
  const frames = await asks(engine, {});
  t.match(seen(frames, "model_changed"), [{ reason: "cooldown" }]);
  t.match(seen(frames, "text_delta"), [{ text: "second" }]);
  t.equal(upstream.received.length, 0);
  t.equal((await engine.control("/control/status")).body.cooldowns, undefined, "it is not reported as its own");
});

t.test("a killed engine goes on with the substitute, though the first model answers again", async (t) => {
  const dataDir = freshFolder(t, "engine");
  const [first, second] = [
    await startUpstream(t, refuses(529, {}), refuses(529, {}), streams(anthropicText("by the first"))),
    await startUpstream(
      t,
      streams(chatCall("c1", "ask_human", { question: "Well?" })),
      streams(chatText("by the second")),
    ),
  ];
  const given = { dataDir, settings: settings(first, second), models: RULES };
  const engine = await startEngine(t, given);
  const stream = await engine.stream("/execute?events=model", { body: { task_id: "t", message: "go" } });
  const { data: question } = await stream.first("hitl_request");
  await engine.stop("SIGKILL");
  const again = await startEngine(t, { ...given, key: engine.key });
  await again.call("/hitl/respond", { body: { request_id: question.request_id, answer: "yes" } });
  const replay = await again.stream(
    `/execute/replay?task_id=t&turn_id=${question.turn_id}&events=model&follow=true`,
    SSE,
  );
  await replay.first("thread_lifecycle", ({ phase }) => phase !== "started");
  const { frames } = replay;
  replay.cut();
  t.match(seen(frames, "model_changed"), [{ reason: "overloaded" }]);
  t.match(seen(frames, "text_delta"), [{ text: "by the second" }]);
  t.equal(first.received.length, 2);
});

// One more turn would start a learning batch, which calls the model too.
t.test("turns that begin while a model fails do not all call it again", async (t) => {
  const { engine, upstream } = await scene(t, [refuses(529, {})], [streams(chatText("by the second"))]);
  await asks(engine, {});
  const before = upstream.received.length;
  const turns = Array.from({ length: 18 }, (_, at) => asks(engine, { task_id: `t${at}` }));
  for (const frames of await Promise.all(turns)) t.match(seen(frames, "text_delta"), [{ text: "by the second" }]);
  t.equal(upstream.received.length, before);
});
