import { once } from "node:events";
import { createServer } from "node:net";
import t from "tap";
import { listen } from "../../../src/shared/http/http-server.ts";
import type { EngineExit } from "../../../src/orchestrator/fleet/engine-backend.ts";
import { awaitHealthy, probeOnce } from "../../../src/orchestrator/engine-calls/health-probe.ts";
import { HOST, NOT_HELD, freePort, healthy, testFleet, urlOf } from "../../helpers/fleet.ts";

const expected = { engineId: "eng_1", incarnation: "first", timeoutMs: 5000 };

async function answering(t: Parameters<typeof testFleet>[0], status: number, body: string): Promise<string> {
  const server = await listen((_request, response) => response.writeHead(status).end(body), HOST, 0);
  t.teardown(() => server.close(0));
  return `http://${HOST}:${server.port}`;
}

t.test("a slow boot is awaited", async (t) => {
  const { backend, order } = testFleet(t, "slow-start");
  const given = await order();
  const engine = await backend.launch(given);
  t.same(await healthy(given, engine), { kind: "healthy", version: "1.2.3" });
  await engine.stop(5000);
});

t.test("an engine that never listens times out with the last problem", async (t) => {
  // Its port would be held, and a call would wait.
  const { backend, order } = testFleet(t, "never-healthy", { host: NOT_HELD });
  const given = await order();
  const engine = await backend.launch(given);
  t.same(await healthy(given, engine, 400), { kind: "timed_out", lastProblem: "nothing listens on the port" });
  await engine.stop(5000);
});

t.test("an engine that accepts and never answers times out", async (t) => {
  const { backend, order } = testFleet(t, "accepts-and-hangs");
  const given = await order();
  const engine = await backend.launch(given);
  t.match(await healthy(given, engine, 600), { kind: "timed_out" });
  await engine.stop(5000);
});

t.test("an answer with another identity is not health", async (t) => {
  const { backend, order } = testFleet(t, "wrong-identity");
  const given = await order();
  const engine = await backend.launch(given);
  t.same(await healthy(given, engine), { kind: "wrong_identity" });
  await engine.stop(5000);
});

t.test("an engine that exits because its port was taken after the check reports wrong_identity", async (t) => {
  const { backend, order } = testFleet(t, "slow-start", { host: NOT_HELD });
  const given = await order();
  const engine = await backend.launch(given);
  const thief = await listen((_request, response) => response.end("mine"), HOST, given.launch.port);
  t.teardown(() => thief.close(0));
  t.same(await healthy(given, engine), { kind: "wrong_identity" });
  t.match(await engine.exited, { code: 1 });
});

t.test("a cancelled boot is aborted, whatever the engine does", async (t) => {
  const called = new AbortController();
  const exited = new Promise<EngineExit>(() => undefined);
  const url = `http://${HOST}:${await freePort()}`;
  const verdict = awaitHealthy({ ...expected, url, exited, deadlineMs: 60_000, signal: called.signal });
  called.abort();
  t.same(await verdict, { kind: "aborted" });
});

t.test("a probe reports each kind of answer", async (t) => {
  const identity = { engine_id: "eng_1", incarnation: "first" };
  const probe = async (status: number, body: unknown) =>
    probeOnce(await answering(t, status, JSON.stringify(body)), expected);
  t.same(await probe(200, { ...identity, status: "ok", version: "1", active_turns: 2 }), {
    kind: "ok",
    version: "1",
    activeTurns: 2,
    modelFailedAt: null,
  });
  const failed = { ...identity, status: "ok", model: { last_error_at: "2026-03-31T09:00:00.000Z" } };
  t.match(await probe(200, failed), { kind: "ok", modelFailedAt: "2026-03-31T09:00:00.000Z" });
  const odd = { ...identity, status: "ok", model: { last_error_at: "x".repeat(1000) } };
  t.match(await probe(200, odd), { kind: "ok", modelFailedAt: null });
  t.same(await probe(503, { ...identity, status: "starting" }), { kind: "failed", reason: "status 503, starting" });
  t.same(await probe(200, { ...identity, status: "ok", incarnation: "second" }), { kind: "wrong_identity" });
  t.same(await probe(200, "hello"), { kind: "wrong_identity" });
  t.same(await probe(404, {}), { kind: "wrong_identity" });
  t.same(await probe(500, {}), { kind: "failed", reason: "status 500" });
  t.same(await probe(200, "x".repeat(100_000)), { kind: "failed", reason: "the response is longer than 65536 bytes" });
});

t.test("an engine with invalid health fields is refused", async (t) => {
  const identity = { engine_id: "eng_1", incarnation: "first", status: "ok" };
  for (const [field, value] of [
    ["version", "1.0\u001b[2J"],
    ["version", "\0"],
    ["version", "x".repeat(50_000)],
    ["status", "ok\u001b]0;title\u0007"],
    ["active_turns", -1],
    ["active_turns", 1e300],
  ] as const) {
    const url = await answering(t, 200, JSON.stringify({ ...identity, [field]: value }));
    t.same(await probeOnce(url, expected), { kind: "failed", reason: `its health response has an invalid ${field}` });
  }
});

t.test("a listener without HTTP is a failed probe, not an exception", async (t) => {
  const server = createServer((socket) => socket.end("220 mail\r\n")).listen(0, HOST);
  t.teardown(() => server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  t.match(await probeOnce(`http://${HOST}:${port}`, expected), { kind: "failed" });
});

t.test("a probe without an answer times out", async (t) => {
  const { backend, order } = testFleet(t, "accepts-and-hangs");
  const given = await order();
  const engine = await backend.launch(given);
  let verdict = await probeOnce(urlOf(given), { ...expected, timeoutMs: 50 });
  while (verdict.kind === "failed" && verdict.reason.startsWith("nothing listens")) {
    verdict = await probeOnce(urlOf(given), { ...expected, timeoutMs: 50 });
  }
  t.same(verdict, { kind: "failed", reason: "no answer within 50 ms" });
  await engine.stop(5000);
});
