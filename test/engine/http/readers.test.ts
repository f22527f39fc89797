import { readSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import t from "tap";
import { KEY, engineParts, says, scriptedProvider, servedParts } from "../../helpers/engine-parts.ts";
import { type Frame, type SseStream, openStream } from "../../helpers/engine.ts";
import { ask } from "../../helpers/api.ts";
import { until } from "../../helpers/until.ts";

const headers = { "x-engine-key": KEY };
const gate = () => {
  const opened = Promise.withResolvers<void>();
  return { open: opened.resolve, wait: opened.promise };
};

t.test("heartbeats come while nothing else does, and each is an exact cut", async (t) => {
  const answer = gate();
  const provider = scriptedProvider(async function* () {
    await answer.wait;
    yield* says("late")();
  });
  const parts = engineParts(t, { provider });
  const url = await servedParts(t, parts, { heartbeatMs: 20 });
  const stream = await openStream(url, "/execute", { headers, body: { task_id: "beat", message: "go" } });
  await until("some heartbeats", () => stream.frames.filter(({ event }) => event === "heartbeat").length >= 3);
  answer.open();
  await stream.all();
  const all = stream.frames;
  for (const [index, { event, data }] of all.entries()) {
    if (event !== "heartbeat") continue;
    t.strictSame(Object.keys(data), ["now"], "no stamp, for it is not stored");
    const { body } = await ask(url, `/execute/replay?after=${data.now}`, { headers });
    const rest = all.slice(index + 1).filter((frame: Frame) => frame.event !== "heartbeat");
    t.strictSame(
      body.events.map((one: { data: { seq: number } }) => one.data.seq),
      rest.map((frame) => frame.data.seq),
      "what is replayed from it is what came behind it",
    );
  }
});

t.test("a reader gets the first event before the model is asked", async (t) => {
  let received = "";
  const provider = scriptedProvider(() => {
    // Without a turn of the event loop, in which this process would read it as the client.
    const { fd } = (client as unknown as { readonly _handle: { readonly fd: number } })._handle;
    const buffer = Buffer.alloc(10_000);
    received = buffer.toString("utf8", 0, readSync(fd, buffer));
    return says("hello")();
  });
  const url = await servedParts(t, engineParts(t, { provider }));
  const client = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  const body = JSON.stringify({ task_id: "first", message: "go" });
  const head = ["POST /execute HTTP/1.1", "host: 127.0.0.1", `x-engine-key: ${KEY}`, "connection: close"];
  const entity = ["content-type: application/json", `content-length: ${body.length}`];
  client.end([...head, ...entity, "", body].join("\r\n"));
  client.resume();
  await once(client, "close");
  t.match(received, /^HTTP\/1.1 200 OK\r\n[^]*event: thread_lifecycle\ndata: \{"phase":"started"/);
});

t.test("a reader that stops reading is cut off, and neither the turn nor another reader waits", async (t) => {
  const text = "x".repeat(1000);
  const provider = scriptedProvider(async function* () {
    yield { kind: "block_start", block: "text" };
    for (let index = 0; index < 20_000; index++) {
      yield { kind: "text", text };
      if (index % 100 === 0) await new Promise(setImmediate);
    }
    yield { kind: "block_stop", block: "text" };
    yield { kind: "done", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 } };
  });
  const parts = engineParts(t, { provider });
  const url = await servedParts(t, parts, { maxQueuedBytes: 100_000, maxQueuedMs: 2000 });
  const stuck = await openStream(url, "/execute", { headers, body: { task_id: "full", message: "go" } });
  stuck.pause();
  const reader = await openStream(url, "/execute/replay?task_id=full&follow=true", {
    headers: { ...headers, accept: "text/event-stream" },
  });
  await reader.first("thread_lifecycle", ({ phase }) => phase === "completed");
  reader.cut();
  await until("the stuck reader is given up", () => parts.journal.readerCount() === 0);
  stuck.resume();
  await until("its connection is cut", () => stuck.ended);
  t.notOk(stuck.frames.some(({ data }) => data.phase === "completed"));
  const last = stuck.frames.at(-1)?.data;
  const rest = await openStream(url, `/execute/replay?turn_id=${last.turn_id}&after=${last.seq}`, {
    headers: { ...headers, accept: "text/event-stream" },
  });
  const length = [...stuck.frames, ...(await rest.all())]
    .filter(({ event }) => event === "text_delta")
    .reduce((sum, { data }) => sum + data.text.length, 0);
  t.equal(length, 20_000 * text.length, "replay has the rest, nothing twice");
});

t.test("a reader that comes when the turn is over is not kept waiting, and one of no turn is refused", async (t) => {
  const parts = engineParts(t, { provider: scriptedProvider(says("short")) });
  const url = await servedParts(t, parts);
  const { turn_id: turnId, seq } = (await parts.turn("over")).at(-1)?.data ?? {};
  const follow = (query: string) =>
    openStream(url, `/execute/replay?${query}&follow=true`, { headers: { ...headers, accept: "text/event-stream" } });
  const late = await follow(`turn_id=${String(turnId)}&after=${String(seq)}`);
  t.same(await late.all(), []);
  t.equal((await follow("turn_id=turn_unknown")).status, 404);
});

t.test("nothing a client puts into its query or its Host header gets into the stream", async (t) => {
  const url = await servedParts(t, engineParts(t, { provider: scriptedProvider(says("a"), says("b")) }));
  const odd = await openStream(url, "/execute?padding=1&evs_preamble=1", {
    headers: { ...headers, host: "[::1" },
    body: { task_id: "odd", message: "go" },
  });
  t.match((await odd.all()).at(-1)?.data, { phase: "completed" });
});

t.test("exactly sixteen may follow, by task, by turn or all, however many come at once", async (t) => {
  const answer = gate();
  const provider = scriptedProvider(async function* () {
    await answer.wait;
    yield* says("done")();
  });
  const parts = engineParts(t, { provider });
  const url = await servedParts(t, parts);
  const key = { "idempotency-key": "k" };
  const call = { headers: { ...headers, ...key }, body: { task_id: "popular", message: "go" } };
  const first = await openStream(url, "/execute", call);
  const { turn_id: turnId } = (await first.first("thread_lifecycle")).data;
  const follow = (query: string) =>
    openStream(url, `/execute/replay?${query}follow=true`, { headers: { ...headers, accept: "text/event-stream" } });
  const letIn = async (streams: readonly Promise<SseStream>[]) => {
    const all = await Promise.all(streams);
    const refused = all.filter(({ status }) => status !== 200);
    for (const stream of refused) {
      t.equal(stream.status, 429);
      t.match(await stream.json(), { error: "TOO_MANY_READERS", details: { limit: 16 } });
    }
    return all.filter(({ status }) => status === 200);
  };
  const byTask = await letIn(
    Array.from({ length: 40 }, (_, n) => {
      if (n % 3 === 0) return openStream(url, "/execute", call);
      return follow(n % 3 === 1 ? "task_id=popular&" : `turn_id=${turnId}&`);
    }),
  );
  const ofAll = await letIn(Array.from({ length: 40 }, () => follow("")));
  t.strictSame([byTask.length, ofAll.length], [16, 16]);
  byTask.pop()?.cut();
  const next = await until("a seat that was left is taken again", async () => {
    const stream = await follow("task_id=popular&");
    return stream.status === 200 ? stream : null;
  });
  answer.open();
  for (const reader of [first, next, ...byTask, ...ofAll]) {
    await reader.first("thread_lifecycle", ({ phase }) => phase === "completed");
    reader.cut();
  }
});

t.test("a cursor older than the retained events gets a gap", async (t) => {
  const parts = engineParts(t, { provider: scriptedProvider(says("one"), says("two")) });
  const url = await servedParts(t, parts);
  const old = await parts.turn("old");
  parts.journal.prune(Date.now() + 60_000, 1000);
  await parts.turn("new");
  const replay = async (after: unknown) => (await ask(url, `/execute/replay?after=${String(after)}`, { headers })).body;
  const lost = await replay(old[0]?.data["ts"]);
  t.equal(lost.truncated, true);
  t.equal(lost.oldest_ts, lost.events[0].data.ts);
  t.equal((await replay(lost.oldest_ts)).truncated, false);
  t.equal(
    (await replay(old.at(-1)?.data["seq"])).truncated,
    false,
    "a replay after the last seen event is not truncated",
  );
});
