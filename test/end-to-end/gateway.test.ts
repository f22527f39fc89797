import { once } from "node:events";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import t from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const port = await freePort();
const base = `http://localhost:${port}`;
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: `${base}/` } });
const anna = await fleet.provision("anna");
const client = createEngineClient({ url: anna.url, key: anna.key });

t.test("an engine's url leads through the daemon, and a turn streams without being buffered", async (t) => {
  t.equal(anna.url, `${base}/e/${anna.id}`);
  t.equal((await anna.show()).url, anna.url);
  const stream = await anna.execute("talk", "/ask Which one? | red | blue");
  t.equal(stream.status, 200);
  const asked = await stream.first("hitl_request");
  t.notOk(stream.ended, "the question came while the turn waits");
  await client.respond(String(asked.data["request_id"]), "red");
  t.match((await stream.all()).at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
});

t.test("the engine authenticates the calls itself", async (t) => {
  t.match(await ask(anna.url, "/hitl/pending"), { status: 401, body: { error: "INVALID_ENGINE_KEY" } });
  t.match(await ask(anna.url, "/health"), { status: 200, body: { engine_id: anna.id } });
  t.match(await anna.call("/nowhere"), { status: 404, body: { error: "NOT_FOUND" } });
  t.match(await anna.call("/execute", { task_id: 7 }), { status: 400, body: { error: "INVALID_REQUEST" } });
  const control = await ask(anna.url, "/control/status", { headers: { "x-control-token": "x" } });
  t.match(control, { status: 404, body: { error: "NOT_FOUND", message: /engine_id/ } });
});

t.test("no Connection option makes the body of a call another request", async (t) => {
  const key = `X-Engine-Key: ${anna.key}`;
  const turn = JSON.stringify({ task_id: "smuggled", message: "/say smuggled" });
  const smuggled = [
    "POST /execute HTTP/1.1",
    "Host: x",
    key,
    "Content-Type: application/json",
    `Content-Length: ${turn.length}`,
    "",
    turn,
  ].join("\r\n");
  const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
  const plain = [`Content-Length: ${smuggled.length}`];
  for (const { named, framing, body } of [
    { named: "content-length", framing: plain, body: smuggled },
    { named: "transfer-encoding", framing: ["Transfer-Encoding: chunked"], body: chunked },
    { named: "host, via", framing: plain, body: smuggled },
    { named: "expect", framing: [...plain, "Expect: 100-continue"], body: smuggled },
  ]) {
    for (const method of ["GET", "DELETE"]) {
      const socket = connect(port, "localhost");
      const start = `${method} /e/${anna.id}/turns HTTP/1.1`;
      const head = [start, `Host: localhost:${port}`, key, `Connection: close, ${named}`, ...framing];
      socket.write([...head, "", body].join("\r\n"));
      // Ends when the daemon closes the connection, after its only response.
      const answers = (await readText(socket)).match(/HTTP\/1\.1 (?!100)\d+/g);
      t.equal(answers?.length, 1, `${method} ${named}`);
    }
  }
  const unnamed = connect(port, "localhost");
  const withoutKey = [`GET /e/${anna.id}/hitl/pending HTTP/1.1`, `Host: localhost:${port}`, key];
  unnamed.write([...withoutKey, "Connection: close, x-engine-key", "", ""].join("\r\n"));
  t.match(await readText(unnamed), /^HTTP\/1.1 401 /, "a header that the caller names is dropped");
  const turns = await anna.call("/turns");
  t.equal(turns.status, 200);
  t.notMatch(turns.text, "smuggled");
});

t.test("engines that are not there are refused in the engine's form of an error", async (t) => {
  const key = { headers: { "x-engine-key": anna.key } };
  t.match(await ask(base, "/e/eng_none/execute", key), { status: 404, body: { error: "NOT_FOUND" } });
  t.match(await ask(base, "/e/execute", key), { status: 404, body: { error: "NOT_FOUND" } });
  const bob = await fleet.provision("bob");
  await bob.post("stop", { force: true });
  t.match(await bob.call("/hitl/pending"), { status: 503, body: { error: "ENGINE_NOT_RUNNING" } });
  const evil = await ask(anna.url, "/health", { headers: { host: "evil.example" } });
  t.match(evil, { status: 400, body: { error: "INVALID_REQUEST", message: /^Host/ } });
});

t.test("a client that goes away ends the call at the engine", async () => {
  const body = { task_id: "gone", message: "/slow 60000", on_disconnect: "cancel" };
  const stream = await openStream(anna.url, "/execute", { headers: { "x-engine-key": anna.key }, body });
  await until("the turn runs", async () => (await ask(anna.url, "/health")).body.active_turns === 1);
  stream.cut();
  await until("the turn is cancelled", async () => (await ask(anna.url, "/health")).body.active_turns === 0);
});

t.test("a body of unknown length is passed on, and a bad one is refused by the engine", async (t) => {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const body = JSON.stringify({ task_id: "chunks", message: "/say chunked" });
  const head = `POST /e/${anna.id}/execute HTTP/1.1\r\nHost: localhost\r\nX-Engine-Key: ${anna.key}\r\nConnection: close\r\n`;
  const half = body.length / 2;
  const chunk = (part: string) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`;
  socket.write(
    `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(body.slice(0, half))}`,
  );
  socket.write(`${chunk(body.slice(half))}0\r\n\r\n`);
  const answer = await readText(socket);
  t.match(answer, /^HTTP\/1\.1 200 /);
  t.match(answer, /chunked/);
  const large = { method: "POST", headers: { "x-engine-key": anna.key }, body: { answer: "x".repeat(3_000_000) } };
  t.match(await ask(anna.url, "/hitl/respond", large), { status: 413, body: { error: "PAYLOAD_TOO_LARGE" } });
});

t.test("a request that HTTP does not allow is refused in the daemon's form of an error", async (t) => {
  const socket = connect(port, "127.0.0.1");
  socket.write("POST /engines/provision HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n");
  const answer = await readText(socket);
  t.match(answer, /^HTTP\/1\.1 400 .*Content-Type: application\/json/s);
  t.match(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))), {
    error: { code: "INVALID_REQUEST", message: /Transfer-Encoding/ },
  });
});

t.test("a stream that dies with the daemon is resumed through the next one", async (t) => {
  const turn = client.execute({ taskId: "long", message: "/stream 300 100" });
  const seen: number[] = [];
  let restarted: Promise<unknown> | null = null;
  for await (const event of turn) {
    if (event.event !== "text_delta") continue;
    seen.push(event.data.seq);
    if (seen.length === 20) {
      await fleet.daemon.stop("SIGKILL");
      restarted = fleet.restart();
    }
  }
  await restarted;
  t.ok((await turn.result()).text.length > 300, "to its end");
  t.same(
    seen,
    seen.toSorted((left, right) => left - right),
    "in order",
  );
  t.equal(new Set(seen).size, seen.length, "each event once");
});

t.test("calls are counted by their outcome", async (t) => {
  await anna.call("/hitl/pending");
  const { text } = await ask(base, "/metrics");
  t.match(text, /orch_gateway_calls_total\{outcome="answered"\} [1-9]/);
});
