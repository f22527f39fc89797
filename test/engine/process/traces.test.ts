import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { EngineSample } from "../../../src/contract/engine/status.ts";
import { type CollectedSpan, startCollector } from "../../helpers/collector.ts";
import { type Frame, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { startFakeServer } from "../../helpers/fake-server.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { fixture } from "../mcp/tool-server-bench.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const HEADERS = { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: "vendor=1" };
const SECRET = "no word of this";

const tracingTo = (endpoint: string) => ({ endpoint, headers: { "x-key": "collector-key" }, sampleRatio: 1 });

/** The names of spans as a tree, children by name: calls of one step run in any order. */
function treeOf(spans: readonly CollectedSpan[], parent: string): object[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, spanId, attributes }) => {
      const error = attributes["error.type"];
      const below = treeOf(spans, spanId);
      return { [error === undefined ? name : `${name}: ${String(error)}`]: below };
    });
}

const named = (spans: readonly CollectedSpan[], name: string) => spans.find((span) => span.name === name);
const resultsOf = (frames: readonly Frame[]) => frames.filter(({ event }) => event === "tool_result");

async function execute(engine: TestEngine, message: string): Promise<readonly Frame[]> {
  const stream = await engine.execute({ task_id: "task", message }, { headers: HEADERS });
  return stream.all();
}

t.test("the spans of a turn are one tree under the caller's, without content", async (t) => {
  const collector = await startCollector(t);
  const dataDir = freshFolder(t);
  mkdirSync(join(dataDir, "catalog"), { recursive: true });
  const shows = { ...fixture("shows-meta"), permissions: { "*": "allow" } };
  writeFileSync(join(dataDir, "catalog/.mcp.json"), JSON.stringify({ mcpServers: { shows } }));
  const engine = await startEngine(t, { dataDir, tracing: tracingTo(collector.endpoint) });
  await until(
    "the tool server is ready",
    async () => (await engine.call("/assets/servers")).body.servers[0]?.status === "ready",
  );
  const task = JSON.stringify({ agent: "researcher", task: `/tool list_files {}\n/say ${SECRET}` });
  const frames = await execute(
    engine,
    [
      `/say ${SECRET}`,
      '/tool read_file {"path":"missing.txt"}',
      `/tool delegate ${task}`,
      "/tool mcp__shows__meta {}",
      `/tool write_file {"content":"${SECRET}"}`,
      "/fail provider",
    ].join("\n"),
  );
  t.match(frames.at(-1), { event: "error" });
  await engine.stop();
  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  t.strictSame(treeOf(spans, CALLER), [
    {
      "POST /execute": [
        {
          "invoke_agent default: LLM_PROVIDER_ERROR": [
            { "chat sandbox": [] },
            { "chat sandbox: permanent": [] },
            {
              "execute_tool delegate": [
                {
                  "invoke_agent researcher": [
                    { "chat sandbox": [] },
                    { "chat sandbox": [] },
                    { "execute_tool list_files": [] },
                  ],
                },
              ],
            },
            { "execute_tool mcp__shows__meta": [] },
            { "execute_tool read_file: tool_error": [] },
            { "execute_tool write_file: invalid_input": [] },
          ],
        },
      ],
    },
  ]);
  const turnId = frames[0]?.data.turn_id;
  t.match(named(spans, "invoke_agent default")?.attributes, {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "default",
    "gen_ai.conversation.id": "task",
    "gen_ai.usage.input_tokens": Number,
    "orchd.turn.id": turnId,
    "error.type": "LLM_PROVIDER_ERROR",
  });
  t.match(named(spans, "chat sandbox"), {
    kind: 3,
    traceState: "vendor=1",
    attributes: {
      "gen_ai.provider.name": "sandbox",
      "gen_ai.request.model": "sandbox",
      "gen_ai.usage.output_tokens": Number,
      "gen_ai.response.time_to_first_chunk": Number,
    },
    resource: {
      "service.name": "orchd-engine",
      "orchd.product": "test",
      "service.instance.id": engine.launch.incarnation,
    },
  });
  const remote = named(spans, "execute_tool mcp__shows__meta");
  t.match(remote?.attributes, {
    "gen_ai.tool.type": "extension",
    "mcp.method.name": "tools/call",
    "network.transport": "pipe",
  });
  const meta = resultsOf(frames).find(({ data }) => data.tool === "mcp__shows__meta")?.data.output;
  t.match(JSON.parse(meta), { traceparent: `00-${TRACE}-${remote?.spanId}-01`, tracestate: "vendor=1" });
  t.match(collector.requests[0]?.headers, { "x-key": "collector-key" });
  const sent = collector.requests.map(({ body }) => body).join("");
  for (const secret of [SECRET, "missing.txt", engine.key, engine.launch.user_id, engine.launch.control_token])
    t.notOk(sent.includes(`"${secret}"`) || sent.includes(SECRET), "no content, key or user in any span");
});

t.test("a turn that a killed engine left has one span, from its start to the end in the next process", async (t) => {
  const collector = await startCollector(t);
  const tracing = tracingTo(collector.endpoint);
  const first = await startEngine(t, { tracing });
  const stream = await first.execute(
    { task_id: "task", message: "/tool list_files {}\n/ask Now? | yes\n/say done" },
    { headers: HEADERS },
  );
  const started = Date.now();
  const asked = await stream.first("hitl_request");
  await first.stop("SIGKILL");
  const second = await startEngine(t, { dataDir: first.dataDir, key: first.key, tracing });
  await second.call("/hitl/respond", { body: { request_id: asked.data.request_id, answer: "yes" } });
  await until("the turn is over", async () => (await second.call("/health")).body.active_turns === 0);
  await second.stop();
  const turns = collector.spans.filter(({ name }) => name.startsWith("invoke_agent"));
  t.match(turns, [{ traceId: TRACE, parentSpanId: CALLER, attributes: { "orchd.turn.resumed": true } }]);
  t.equal(turns.length, 1);
  const [turn] = turns;
  t.ok(Number(turn?.startTimeUnixNano) / 1e6 < started, "it began in the first process");
  const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === turn?.spanId);
  t.ok(below.some(({ name }) => name === "chat sandbox"));
});

t.test("a dead collector costs an engine nothing but spans, which it counts", async (t) => {
  const engine = await startEngine(t, { tracing: tracingTo("http://127.0.0.1:1") });
  const frames = await engine.turn("task", "/say hello");
  t.match(frames.at(-1)?.data, { phase: "completed" });
  const dropped = async () => {
    const { body } = await engine.control("/control/status?metrics=");
    const samples: readonly EngineSample[] = body.metrics.samples;
    return samples.find(([name, labels]) => name === "orch_spans_total" && labels[0] === "dropped");
  };
  await until("they are counted", async () => (await dropped()) !== undefined, 60_000);
  t.strictSame(await engine.stop(), 0);
});

t.test("the trace goes on to a model server of the operator's", async (t) => {
  const collector = await startCollector(t);
  const server = await startFakeServer(t);
  const engine = await startEngine(t, {
    tracing: tracingTo(collector.endpoint),
    settings: { LLM_PROVIDER: "openai-compatible", LLM_BASE_URL: server.url, LLM_MODEL: "m" },
  });
  await execute(engine, "hello");
  await engine.stop();
  const chat = named(collector.spans, "chat m");
  t.match(chat?.attributes, { "gen_ai.provider.name": "openai-compatible", "error.type": "permanent" });
  t.match(server.calls[0]?.headers, { traceparent: `00-${TRACE}-${chat?.spanId}-01`, tracestate: "vendor=1" });
});

t.test("without tracing the engine passes nothing on", async (t) => {
  const engine = await startEngine(t);
  const frames = await execute(engine, "/say hello");
  t.match(frames.at(-1)?.data, { phase: "completed" });
  await engine.stop();
});
