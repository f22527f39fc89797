import t from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { type OpenTracer, openTracer } from "../../../src/shared/tracing/otlp-tracer.ts";
import { NO_SPAN } from "../../../src/shared/tracing/span.ts";
import { startCollector } from "../../helpers/collector.ts";
import { until } from "../../helpers/until.ts";

const CALLER = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "vendor=1" };
const LIMITS = { queue: 8, batch: 4, delayMs: 5, requestMs: 5000, tries: 2, firstRetryMs: 1 };

function tracerFor(endpoint: string, { limits = LIMITS, sampleRatio = 1 } = {}) {
  const counts = { exported: 0, dropped: 0 };
  const lines: string[] = [];
  const logger = createLogger("test", "warn", { write: (line: string) => void lines.push(line) });
  const tracer = openTracer(
    { endpoint, headers: { authorization: "Bearer secret-key" }, sampleRatio },
    {
      resource: { "service.name": "test" },
      scope: { name: "orchd", version: "1" },
      limits,
      logger,
      onCount: (outcome, spans) => (counts[outcome] += spans),
    },
  );
  return { tracer, counts, lines };
}

const endSpans = (tracer: OpenTracer, count: number) => {
  for (let n = 0; n < count; n++) tracer.start(`span ${n}`, { kind: "internal", parent: NO_SPAN }).end();
};

t.test("spans carry the caller's trace, their parent, attributes, events, an error and times in order", async (t) => {
  const collector = await startCollector(t);
  const { tracer, counts } = tracerFor(`${collector.endpoint}/base/`);
  const server = tracer.start("POST /execute", { kind: "server", parent: tracer.remote(CALLER) });
  const child = tracer.start("chat m", {
    kind: "client",
    parent: server,
    attributes: { text: "é", whole: 3, share: 0.5, flag: true, list: ["a", "b"], none: undefined },
  });
  child.event("retry", { "error.type": "rate_limited" });
  child.set({ whole: 4 });
  child.end("transient");
  child.end();
  server.end();
  await tracer.close(5000);
  t.strictSame(
    collector.requests.map(({ path, headers }) => [path, headers["content-type"], headers.authorization]),
    [["/base/v1/traces", "application/json", "Bearer secret-key"]],
  );
  const [chat, post] = collector.spans;
  t.match(post, {
    name: "POST /execute",
    kind: 2,
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    parentSpanId: "00f067aa0ba902b7",
    traceState: "vendor=1",
    resource: { "service.name": "test" },
  });
  t.match(chat, { kind: 3, traceId: post?.traceId, parentSpanId: post?.spanId, status: { code: 2 } });
  t.strictSame(chat?.attributes, {
    text: "é",
    whole: 4,
    share: 0.5,
    flag: true,
    list: { values: [{ stringValue: "a" }, { stringValue: "b" }] },
    "error.type": "transient",
  });
  t.strictSame(chat?.events, ["retry"]);
  const [from = 0n, begin = 0n, end = 0n, to = 0n] = [
    post?.startTimeUnixNano,
    chat?.startTimeUnixNano,
    chat?.endTimeUnixNano,
    post?.endTimeUnixNano,
  ].map((time) => BigInt(time ?? 0));
  t.ok(from <= begin && begin <= end && end <= to);
  t.ok(Math.abs(Number(from / 1_000_000n) - Date.now()) < 60_000, "in nanoseconds since the epoch");
  t.strictSame(counts, { exported: 2, dropped: 0 });
});

t.test("headers that are no trace context start a new trace", async (t) => {
  const { tracer } = tracerFor("http://127.0.0.1:9");
  for (const traceparent of [
    undefined,
    "",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
  ])
    t.equal(tracer.remote({ traceparent }), NO_SPAN, String(traceparent));
  const later = tracer.remote({ traceparent: "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more" });
  t.equal(later.traceparent, CALLER.traceparent, "a later version is read as far as this one goes");
  t.equal(tracer.remote({ ...CALLER, tracestate: "a\nb" }).tracestate, undefined);
});

t.test("the caller decides whether its trace is recorded, the ratio whether one that starts here is", async (t) => {
  const collector = await startCollector(t);
  const { tracer } = tracerFor(collector.endpoint, { sampleRatio: 0 });
  const start = (parent = NO_SPAN) => tracer.start("span", { kind: "internal", parent });
  const [own, refused] = [start(), start(tracer.remote({ traceparent: CALLER.traceparent.replace(/01$/, "00") }))];
  t.match(own.traceparent, /-00$/);
  t.match(refused.traceparent, /^00-4bf92f3577b34da6a3ce929d0e0e4736-.*-00$/, "passed on as the caller decided");
  t.match(start(own).traceparent, /-00$/);
  for (const span of [own, refused]) span.end();
  start(tracer.remote(CALLER)).end();
  await tracer.close(5000);
  t.equal(collector.spans.length, 1);
});

t.test("a later process ends the span that an earlier one started", async (t) => {
  const collector = await startCollector(t);
  const { tracer } = tracerFor(collector.endpoint);
  const begun = tracer.start("turn", { kind: "internal", parent: tracer.remote(CALLER) });
  const resumed = tracer.start("turn", {
    kind: "internal",
    parent: tracer.remote(CALLER),
    continues: begun.traceparent,
    startedAt: 1000,
  });
  t.equal(resumed.traceparent, begun.traceparent);
  resumed.end();
  await tracer.close(5000);
  t.match(collector.spans, [{ parentSpanId: "00f067aa0ba902b7", startTimeUnixNano: "1000000000" }]);
});

t.test("a batch is tried again after an answer that allows it, and dropped after one that does not", async (t) => {
  const collector = await startCollector(t);
  const { tracer, counts, lines } = tracerFor(collector.endpoint);
  collector.answers.push([503, ""], [200, "{}"]);
  endSpans(tracer, 4);
  await until("the batch has arrived", () => counts.exported === 4);
  collector.answers.push([401, "secret-key"]);
  endSpans(tracer, 4);
  await until("the batch is dropped", () => counts.dropped === 4);
  collector.answers.push([200, '{"partialSuccess":{"rejectedSpans":"3"}}'], [200, "not JSON"]);
  endSpans(tracer, 4);
  await until("the rejected ones are dropped", () => counts.dropped === 7);
  endSpans(tracer, 1);
  await until("the delay sends a part of a batch", () => counts.exported === 6);
  t.equal(collector.requests.length, 5);
  t.equal(lines.length, 1, "one line a minute");
  t.match(lines[0], /"reason":"the collector answered 503"/);
  t.notMatch(lines.join(""), /secret-key/);
  await tracer.close(5000);
});

t.test("with a dead collector the queue stays bounded, and the spans beyond it are counted", async (t) => {
  const limits = { ...LIMITS, firstRetryMs: 60_000 };
  const { tracer, counts } = tracerFor("http://127.0.0.1:9/?key=secret-key", { limits });
  endSpans(tracer, 4);
  endSpans(tracer, 100);
  t.equal(counts.dropped, 92, "four are being sent and eight wait");
  await tracer.close(5000);
  t.strictSame(counts, { exported: 0, dropped: 104 });
  endSpans(tracer, 1);
  t.equal(counts.dropped, 105, "spans ended after the close are counted as dropped");
});

t.test("a collector that never answers does not delay the close beyond its deadline", async (t) => {
  const { createServer } = await import("node:net");
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const { tracer, counts } = tracerFor(`http://127.0.0.1:${port}`);
  endSpans(tracer, 6);
  await tracer.close(50);
  t.strictSame(counts, { exported: 0, dropped: 6 });
});
