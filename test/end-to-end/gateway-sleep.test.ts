import { once } from "node:events";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

/** A name instead of an address: engines make their own sockets, as they do in containers. */
const OWN_SOCKETS = { ORCH_HOST: "localhost" };
const port = await freePort();
const base = `http://localhost:${port}`;
const env = { ...OWN_SOCKETS, ORCH_PORT: String(port), ORCH_PUBLIC_URL: base };
const fleet = await openFleet(t, { env });
const anna = await fleet.provision("anna");
const typesOf = async (user: string): Promise<string[]> =>
  (await fleet.platform("GET", `/engines/${user}/events`)).body.data.map(({ type }: { type: string }) => type);

t.test("a call through the gateway wakes an engine whose socket nobody holds, and its body arrives once", async (t) => {
  const asleep = await anna.sleep();
  t.match(asleep, { state: "sleeping", pid: null, sleep: { reason: "request" } });
  // More than the buffers on its way hold.
  const body = " ".repeat(1_000_000) + JSON.stringify({ task_id: "talk", message: "/say hello" });
  const headers = { "x-engine-key": anna.key, "content-type": "application/json" };
  const { status, text } = await ask(anna.url, "/execute", { method: "POST", headers, body });
  t.equal(status, 200);
  t.match(text, /completed/);
  t.match(await anna.isIn("running"), { awake: { woken_by: "call" } });
  const { events } = (await anna.call("/execute/replay?task_id=talk")).body;
  t.equal(new Set(events.map(({ data }: { data: { turn_id: string } }) => data.turn_id)).size, 1);
  const slept = (await fleet.platform("GET", "/engines/anna/events")).body.data.find(
    ({ type }: { type: string }) => type === "engine.slept",
  );
  t.notOk(slept.data.gap, "no call was refused meanwhile");
});

t.test("many calls at once wake it once and are all answered", async (t) => {
  const before = (await typesOf("anna")).filter((type) => type === "engine.woke").length;
  await anna.sleep();
  const reads = Array.from({ length: 20 }, () => anna.call("/hitl/pending"));
  const writes = Array.from({ length: 5 }, () => anna.call("/memory/knowledge/search", { query: "Oslo" }));
  t.same(new Set((await Promise.all([...reads, ...writes])).map(({ status }) => status)), new Set([200]));
  t.equal((await typesOf("anna")).filter((type) => type === "engine.woke").length, before + 1);
});

t.test("calls that come while it falls asleep are not lost", async (t) => {
  for (let round = 0; round < 5; round++) {
    const slept = anna.post("sleep");
    const calls = Array.from({ length: 8 }, (_, at) =>
      at % 2 === 0 ? anna.call("/hitl/pending") : anna.call("/memory/knowledge/search", { query: "Oslo" }),
    );
    t.same(new Set((await Promise.all(calls)).map(({ status }) => status)), new Set([200]), `round ${round}`);
    await slept;
  }
});

t.test("calls wait while it restarts after a crash, and a body is sent once", async (t) => {
  // It may have fallen asleep after the last call.
  t.equal((await anna.call("/hitl/pending")).status, 200);
  const { pid } = await anna.isIn("running");
  process.kill(pid, "SIGKILL");
  const calls = [anna.call("/hitl/pending"), anna.call("/memory/knowledge/search", { query: "Oslo" })];
  t.same(
    (await Promise.all(calls)).map(({ status }) => status),
    [200, 200],
  );
  t.match(await anna.isIn("running"), { restarts: { count: 1 } });
});

t.test("a call that its client gives up does not reach the engine", async (t) => {
  await anna.sleep();
  const socket = connect(port, "localhost");
  await once(socket, "connect");
  const body = JSON.stringify({ task_id: "given-up", message: "/say never" });
  socket.write(
    `POST /e/${anna.id}/execute HTTP/1.1\r\nHost: localhost\r\nX-Engine-Key: ${anna.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until("the call wakes it", async () => (await anna.show()).state !== "sleeping");
  socket.destroy();
  await anna.isIn("running");
  t.same((await anna.call("/execute/replay?task_id=given-up")).body.events, []);
});

t.test("a body of unknown length is framed whatever the method is", async (t) => {
  const socket = connect(port, "localhost");
  await once(socket, "connect");
  const smuggled = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
  socket.write(
    `DELETE /e/${anna.id}/nowhere HTTP/1.1\r\nHost: localhost\r\nX-Engine-Key: ${anna.key}\r\nConnection: close\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
  );
  const answer = await readText(socket);
  t.match(answer, /^HTTP\/1\.1 404 /);
  t.notMatch(answer, /engine_id/);
});

t.test("an idle engine sleeps by itself, and a later daemon wakes it", async (t) => {
  await fleet.setPolicy({ idle_stop_s: 1 });
  t.match(await anna.isIn("sleeping"), { sleep: { reason: "idle" } });
  await fleet.setPolicy({ idle_stop_s: 0 });
  await fleet.daemon.stop("SIGKILL");
  await fleet.restart();
  t.equal((await anna.show()).state, "sleeping");
  t.equal((await anna.call("/hitl/pending")).status, 200);
  t.match(await anna.isIn("running"), { awake: { woken_by: "call" } });
});

t.test("a call on a full host is answered with Retry-After", async (t) => {
  await anna.sleep();
  await fleet.daemon.stop();
  await fleet.restart({ ORCH_MAX_AWAKE: "1" });
  const bob = await fleet.provision("bob");
  const stream = await bob.execute("talk", "/ask Which one? | left | right");
  await stream.first("hitl_request");
  const refused = await anna.call("/hitl/pending");
  t.match(refused, { status: 503, body: { error: "SLEEPING_BUSY" }, headers: { "retry-after": /^\d+$/ } });
  stream.cut();
});

t.test("without ORCH_PUBLIC_URL such engines do not sleep", async (t) => {
  const direct = await openFleet(t, { env: OWN_SOCKETS });
  const carl = await direct.provision("carl");
  t.match(await carl.post("sleep"), {
    status: 409,
    body: { error: { code: "ENGINE_BUSY", message: /ORCH_PUBLIC_URL/ } },
  });
  t.match(await carl.show(), { state: "running" });
});
