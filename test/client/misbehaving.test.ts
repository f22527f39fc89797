import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import type { Retry } from "../../src/client/http-call.ts";
import type { ClientLimits } from "../../src/client/limits.ts";
import { OrchdError } from "../../src/client/orchd-error.ts";
import { type FakeServer, startFakeServer } from "../helpers/fake-server.ts";
import { COMPLETED, HEARTBEAT, QUICK, STARTED, frames, open, readAll, seqs, text } from "./wire.ts";

const MESSAGE = { message: "hi", taskId: "t" };

async function withServer(t: Test, limits: Partial<ClientLimits> = {}) {
  const server = await startFakeServer(t);
  return { server, client: createEngineClient({ url: server.url, key: "k", limits: { ...QUICK, ...limits } }) };
}

const posts = (server: FakeServer) => server.calls.filter(({ path }) => path === "/execute");
const replays = (server: FakeServer) => server.calls.filter(({ path }) => path.startsWith("/execute/replay"));

t.test("cut at any byte, and again at any other, a turn is read whole and each event once", async (t) => {
  const turn = [STARTED, text("ö"), HEARTBEAT, text("ne "), text("two\nthree"), COMPLETED];
  const bytes = new TextEncoder().encode(frames(turn));
  const second = new TextEncoder();
  const streamOf = (all: Uint8Array, cut: number | undefined) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(all.slice(0, cut));
          if (cut === undefined) controller.close();
        },
        // Only when what came has been read: an error would overtake it.
        pull: (controller) => controller.error(new TypeError("terminated")),
      }),
      { headers: { "content-type": "text/event-stream", "x-turn-id": "turn_1" } },
    );
  let wrong = 0;
  for (let cut = 0; cut <= bytes.length; cut++) {
    const cuts = [cut, (cut * 7) % 200, (cut * 3) % 50];
    const fetch = async (input: string | URL | Request) => {
      const after = new URL(String(input)).searchParams.get("after");
      const behind = after === null ? turn : turn.slice(Number(after));
      const rest = after === null ? bytes : second.encode(frames(behind, { firstSeq: Number(after) + 1 }));
      return streamOf(rest, cuts.shift());
    };
    const client = createEngineClient({ url: "http://engine.test", key: "k", fetch, limits: QUICK });
    const { events, error } = await readAll(client.execute(MESSAGE));
    const stored = seqs(events).filter((seq) => seq !== null);
    const said = events.flatMap((event) => (event.event === "text_delta" ? [event.data.text] : [])).join("");
    if (error !== null || stored.join() !== "1,2,4,5,6" || said !== "öne two\nthree") wrong++;
  }
  t.equal(wrong, 0, `${bytes.length} places to be cut at`);
});

t.test("events that come twice or in disorder are given once, in rising order", async (t) => {
  const { server, client } = await withServer(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    const doubled = frames([STARTED, text("a")]) + frames([text("a")], { firstSeq: 2 });
    const disordered = frames([text("b"), text("c")], { firstSeq: 5 }) + frames([text("late")], { firstSeq: 3 });
    response.end(doubled + disordered + frames([COMPLETED], { firstSeq: 7 }));
  });
  const { events } = await readAll(client.execute(MESSAGE));
  t.same(seqs(events), [1, 2, 5, 6, 7]);
});

t.test("a silent server is left, and the turn read on elsewhere", async (t) => {
  const { server, client } = await withServer(t, { silenceMs: 200 });
  server.on("POST /execute", (_call, response) => {
    open(response);
    response.write(frames([STARTED, text("one ")]));
  });
  server.on("GET /execute/replay", (_call, response) => {
    open(response);
    response.end(frames([text("two"), COMPLETED], { firstSeq: 3 }));
  });
  t.equal(await client.execute(MESSAGE).text(), "one two");
  t.match(replays(server)[0]?.path, /after=2&turn_id=turn_1&follow=true$/);
});

t.test(
  "each lost connection of a turn that goes on is told: its cause, how many there were, and the wait",
  async (t) => {
    const { server, client } = await withServer(t);
    let replayed = 0;
    server.on("POST /execute", (_call, response) => {
      open(response);
      response.end(frames([STARTED, text("one ")]));
    });
    server.on("GET /execute/replay", (_call, response) => {
      if (replayed++ === 0) return { status: 503, body: "<html>" };
      open(response);
      const [events, firstSeq] = replayed === 2 ? [[text("two ")], 3] : [[text("three"), COMPLETED], 4];
      return void response.end(frames(events, { firstSeq }));
    });
    const told: Retry[] = [];
    const note = (retry: Retry) => told.push(retry);
    t.equal(await client.execute({ ...MESSAGE, onRetry: note }).text(), "one two three");
    const outline = told.splice(0).map(({ kind, error, tries, waitMs }) => [kind, error.code, tries, waitMs > 0]);
    const lost = ["stream", "CONNECTION_LOST", 1, true];
    t.same(outline, [lost, ["stream", "BAD_ANSWER", 2, true], lost], "what is new begins the count again");
    replayed = 1;
    await client.resume({ taskId: "t", turnId: "turn_1", after: 2, onRetry: note }).result();
    t.match(told, [{ kind: "stream", tries: 1 }], "one that is resumed tells it too");
  },
);

t.test("a server that takes calls and never answers is given up", async (t) => {
  const { server, client } = await withServer(t, { deadlineMs: 100, retries: 2 });
  server.on("POST /execute", () => undefined);
  await t.rejects(client.execute(MESSAGE).text(), { code: "TIMEOUT" });
  t.equal(posts(server).length, 3);
  t.equal(new Set(posts(server).map(({ headers }) => headers["idempotency-key"])).size, 1, "for one turn");
});

t.test("garbage, and a stream that always ends at once, are given up after a while", async (t) => {
  for (const [what, body] of [
    ["nothing", ""],
    ["noise", "\u0000\u0001 no such line\n\n\n"],
    ["half a frame", "event: text_delta\nda"],
    ["no JSON", "event: text_delta\ndata: {oops\n\n"],
    ["no object", "event: text_delta\ndata: 7\n\n"],
  ] as const) {
    const { server, client } = await withServer(t);
    for (const route of ["POST /execute", "GET /execute/replay"]) {
      server.on(route, (_call, response) => {
        open(response);
        response.end(body);
      });
    }
    const { events, error } = await readAll(client.execute(MESSAGE));
    t.same(events, [], what);
    t.match(error, { code: "CONNECTION_LOST" }, what);
    t.equal(replays(server).length, 6, what);
  }
});

t.test("events of a later engine are passed on as unknown", async (t) => {
  const { server, client } = await withServer(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    response.end(frames([STARTED, ["constructor", { x: 1 }], COMPLETED]));
  });
  const { events } = await readAll(client.execute(MESSAGE));
  t.match(events[1], { event: "unknown", type: "constructor", data: { x: 1, seq: 2 } });
});

t.test("a proxy's page, a redirect and a plain answer are reported as what they are", async (t) => {
  const { server, client } = await withServer(t);
  const page = "<html><body>Welcome</body></html>";
  const html = { "content-type": "text/html" };
  for (const [answer, tries] of [
    [{ status: 200, headers: html, body: page }, 1],
    [{ status: 404, headers: html, body: page }, 1],
    [{ status: 307, headers: { location: `${server.url}/elsewhere` }, body: "" }, 1],
    [{ status: 200, body: { hello: "world" } }, 1],
    [{ status: 502, headers: html, body: page }, 6],
  ] as const) {
    server.calls.length = 0;
    server.on("POST /execute", answer);
    const { error } = await readAll(client.execute(MESSAGE));
    t.match(error, { code: "BAD_ANSWER", status: answer.status });
    t.equal(server.calls.length, tries, `${answer.status}`);
  }
  server.on("GET /health", { status: 200, headers: html, body: page });
  await t.rejects(client.health(), { code: "BAD_ANSWER", details: { body: page } });
  t.notOk(
    server.calls.some(({ path }) => path === "/elsewhere"),
    "the key goes nowhere else",
  );
});

t.test("a hundred megabytes without the end of a line do not fill the memory", async (t) => {
  const { server, client } = await withServer(t);
  const piece = "x".repeat(1024 * 1024);
  const flood = (type: string) => (_call: unknown, response: Parameters<typeof open>[0]) => {
    response.writeHead(200, { "content-type": type, "x-turn-id": "turn_1" });
    let left = 100;
    const go = () => {
      let ready = true;
      while (ready && left-- > 0) ready = response.write(piece);
      if (ready) response.end();
      else response.once("drain", go);
    };
    go();
  };
  server.on("POST /execute", flood("text/event-stream"));
  await t.rejects(client.execute(MESSAGE).text(), { code: "BAD_ANSWER" });
  server.on("GET /health", flood("application/json"));
  await t.rejects(client.health(), { code: "BAD_ANSWER" });
  t.equal(posts(server).length, 1);
});

t.test("who is away for a moment is tried again, who stays away is given up", async (t) => {
  const { server, client } = await withServer(t);
  let tries = 0;
  server.on("POST /execute", (_call, response) => {
    if (++tries < 3) {
      response.socket?.destroy();
      return;
    }
    open(response);
    response.end(frames([STARTED, COMPLETED]));
  });
  await client.execute(MESSAGE).result();
  t.equal(tries, 3);
  t.equal(new Set(posts(server).map(({ headers }) => headers["idempotency-key"])).size, 1, "for one turn");

  const gone = createServer();
  gone.listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port } = gone.address() as AddressInfo;
  gone.close();
  const nobody = createEngineClient({ url: `http://127.0.0.1:${port}`, key: "k", limits: { ...QUICK, retries: 1 } });
  const error = await nobody.health().catch((error: unknown) => error);
  t.ok(error instanceof OrchdError);
  t.match(error, { code: "UNREACHABLE", status: null, message: /ECONNREFUSED/ });
});

t.test("expired events are reported as a gap, not skipped", async (t) => {
  const { server, client } = await withServer(t);
  server.on("POST /execute", (_call, response) => {
    open(response);
    response.write(frames([STARTED, text("one")]), () => response.socket?.destroy());
  });
  server.on("GET /execute/replay", (_call, response) => {
    open(response, { "x-truncated": "true", "x-oldest-ts": "2026-11-02T00:00:00.000Z" });
    response.end(frames([COMPLETED], { firstSeq: 90 }));
  });
  const { error } = await readAll(client.execute(MESSAGE));
  t.match(error, { code: "EVENTS_TRUNCATED", details: { oldest_ts: "2026-11-02T00:00:00.000Z" } });
});

t.test("a signal ends every wait at once, with its reason", async (t) => {
  const { server, client } = await withServer(t, { backoffMs: 60_000, reconnectMs: [60_000] });
  const reason = new Error("enough");
  const stop = (hook: (stop: () => void) => void) => {
    const controller = new AbortController();
    hook(() => controller.abort(reason));
    return controller.signal;
  };
  // While headers are waited for.
  await t.rejects(
    client.execute({ ...MESSAGE, signal: stop((now) => server.on("POST /execute", () => now())) }).text(),
    reason,
  );
  // While another try is.
  server.on("POST /execute", { status: 503, body: { error: "ENGINE_DRAINING", message: "later" } });
  const retrying = new AbortController();
  const onRetry = () => setImmediate(() => retrying.abort(reason));
  await t.rejects(client.execute({ ...MESSAGE, signal: retrying.signal, onRetry }).text(), reason);
  // While the stream is.
  const reading = new AbortController();
  server.on("POST /execute", (_call, response) => {
    open(response);
    response.write(frames([STARTED]));
  });
  const turn = client.execute({ ...MESSAGE, signal: reading.signal });
  const { error } = await readAll(
    (async function* () {
      for await (const event of turn) {
        yield event;
        setImmediate(() => reading.abort(reason));
      }
    })(),
  );
  t.equal(error, reason);
  await t.rejects(turn.result(), reason);
  // While it is to be opened again.
  const reconnecting = new AbortController();
  server.on("POST /execute", (_call, response) => {
    open(response);
    response.end(frames([STARTED]), () => setTimeout(() => reconnecting.abort(reason), 50));
  });
  await t.rejects(client.execute({ ...MESSAGE, signal: reconnecting.signal }).text(), reason);
  // Before anything.
  await t.rejects(client.execute({ ...MESSAGE, signal: AbortSignal.abort(reason) }).text(), reason);
});

t.test("what cannot be sent is refused here, without the secret in the words", async (t) => {
  for (const url of ["", "engine", "ftp://x", "http://a:b@x", "http://x?y=1"]) {
    t.throws(() => createEngineClient({ url, key: "k" }), { code: "INVALID_ARGUMENT" }, url);
  }
  for (const key of ["", "secret\n", "sécret"]) {
    let error: unknown;
    try {
      createEngineClient({ url: "http://x", key });
    } catch (thrown) {
      error = thrown;
    }
    t.match(error, { code: "INVALID_ARGUMENT" });
    t.notMatch(String(error), /cret/);
  }
  t.equal(createEngineClient({ url: "http://x:1/prefix/", key: "k" }).url, "http://x:1/prefix");
});
