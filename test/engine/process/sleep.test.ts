import { once } from "node:events";
import { connect } from "node:net";
import t from "tap";
import { ENGINE_EXITS } from "../../../src/contract/engine/exit.ts";
import { startEngine, type TestEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const sleep = (engine: TestEngine, idleMs = 0) =>
  engine.control("/control/sleep", { method: "POST", body: { idle_ms: idleMs } });

/** Waits out the learning batch that a turn left. */
const fallsAsleep = (engine: TestEngine) =>
  until("the engine falls asleep", async () => (await sleep(engine)).status === 200);

t.test("an engine that sleeps exits with a code of its own, and its next start knows all", async (t) => {
  const engine = await startEngine(t);
  await engine.turn("talk", "/say hello");
  const exited = once(engine.process, "exit");
  await fallsAsleep(engine);
  t.same(await exited, [ENGINE_EXITS.slept.code, null]);
  const next = await startEngine(t, { dataDir: engine.dataDir });
  const { body } = await next.call("/execute/replay?task_id=talk");
  t.ok(JSON.stringify(body.events).includes("hello"));
});

t.test("a turn, an open stream, an unfinished upload and a new connection keep it awake", async (t) => {
  const engine = await startEngine(t);
  // It never is idle that long.
  const awake = async () => (await sleep(engine, 3600_000)).body.details.awake.join(" ");
  t.equal(await awake(), "recent_work");
  const stream = await engine.execute({ task_id: "slow", message: "/slow 600000" });
  await stream.first("thread_lifecycle");
  t.equal(await awake(), "turn stream request recent_work");
  stream.cut();
  await until("only its turn is left", async () => (await awake()) === "turn recent_work");
  await engine.call("/execute/cancel", { body: { task_id: "slow" } });
  await until("it has no turn", async () => !(await awake()).includes("turn"));
  const open = () => connect(Number(new URL(engine.url).port), "127.0.0.1").on("error", () => undefined);
  const upload = open();
  upload.write(`POST /memory/import HTTP/1.1\r\nhost: x\r\nx-engine-key: ${engine.key}\r\ncontent-length: 10\r\n\r\n`);
  await until("the upload counts", async () => (await awake()).includes("request"));
  upload.destroy();
  await until("it is gone", async () => !(await awake()).includes("request"));
  const fresh = open();
  await once(fresh, "connect");
  await until("the engine has learned", async () => {
    const answer = await sleep(engine);
    t.equal(answer.status, 409);
    return answer.body.details.awake.join() === "request";
  });
  fresh.destroy();
  await fallsAsleep(engine);
});

t.test("a client that has left while a question is open does not keep it awake", async (t) => {
  const engine = await startEngine(t);
  const leaving = new AbortController();
  // Clients open a connection after an aborted call, and send nothing on it.
  const spare = connect(Number(new URL(engine.url).port), "127.0.0.1").on("error", () => undefined);
  await once(spare, "connect");
  const response = await fetch(`${engine.url}/execute`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-engine-key": engine.key },
    body: JSON.stringify({ task_id: "left", message: "/ask What? | a" }),
    signal: leaving.signal,
  });
  const pending = async () => (await engine.call("/hitl/pending")).body.requests;
  const [question] = await until("it asks", async () => {
    const requests = await pending();
    return requests.length > 0 && requests;
  });
  t.equal(response.status, 200);
  leaving.abort();
  const exited = once(engine.process, "exit");
  // After a quarter of a minute, the server closes such a connection anyway.
  await until("the engine falls asleep soon", async () => (await sleep(engine)).status === 200, 8000);
  t.same(await exited, [ENGINE_EXITS.slept.code, null]);
  spare.destroy();
  const next = await startEngine(t, { dataDir: engine.dataDir, key: engine.key });
  const answer = { request_id: question.request_id, answer: "a" };
  t.match(await next.call("/hitl/respond", { body: answer }), { status: 200 });
  await until(
    "the turn goes on",
    async () => (await next.call("/turns?task_id=left")).body.items[0].state === "completed",
  );
});
