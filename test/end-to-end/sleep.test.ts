import { existsSync } from "node:fs";
import t from "tap";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t);
const typesOf = async (user: string): Promise<string[]> =>
  (await fleet.platform("GET", `/engines/${user}/events`)).body.data
    .map(({ type }: { type: string }) => type)
    .toReversed();

t.test("an engine that sleeps has no process, and a call to its address wakes it with all it knew", async (t) => {
  const anna = await fleet.provision("anna");
  const { pid } = await anna.show();
  await (await anna.execute("talk", "/say Oslo it is")).all();
  const asleep = await anna.sleep();
  t.match(asleep, { state: "sleeping", running: false, desired_state: "running", pid: null, awake: null });
  t.match(asleep.sleep, { reason: "request", since: /^20/ });
  t.ok(asleep.last_active_at < asleep.sleep.since, "its last turn is on the record");
  t.notOk(existsSync(`/proc/${pid}`), "its process is gone");
  t.equal((await anna.post("sleep")).status, 200, "again");
  const stream = await anna.execute("talk", "/say Bergen it is");
  t.equal(stream.status, 200);
  const frames = await stream.all();
  t.match(frames.at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
  const { body } = await anna.call("/execute/replay?task_id=talk");
  const texts = JSON.stringify(body.events);
  t.ok(texts.includes("Oslo") && texts.includes("Bergen"), "its store has both turns");
  const record = await anna.isIn("running");
  t.match(record, { sleep: null, awake: { woken_by: "call" } });
  t.not(record.pid, pid);
  t.equal(record.port, asleep.port);
  t.same(await typesOf("anna"), [
    "engine.provisioned",
    "engine.starting",
    "engine.running",
    "engine.slept",
    "engine.woke",
    "engine.running",
  ]);
});

t.test("every road wakes an engine, and reading about it does not", async (t) => {
  const bob = await fleet.provision("bob");
  const wokenBy = async () => (await bob.isIn("running")).awake.woken_by;
  await bob.sleep();
  t.equal((await fleet.platform("GET", "/engines/bob/wait?state=sleeping&timeout_s=1")).status, 200);
  t.equal((await fleet.platform("GET", "/engines/bob/wait?state=running&timeout_s=0")).status, 504);
  t.equal((await bob.show()).state, "sleeping");
  t.match(await bob.post("start"), { status: 200, body: { state: "running" } });
  t.equal(await wokenBy(), "start");
  await bob.sleep();
  t.match(await fleet.platform("POST", "/engines/admit", { user_id: "bob", start: false }), {
    status: 200,
    body: { state: "sleeping" },
  });
  t.match(await fleet.platform("POST", "/engines/admit", { user_id: "bob" }), {
    status: 200,
    body: { state: "running", engine_api_key: null },
  });
  t.equal(await wokenBy(), "admit");
  await bob.sleep();
  t.match(await fleet.platform("GET", "/engines/bob?auto_provision=true"), { status: 200, body: { state: "running" } });
  t.equal(await wokenBy(), "lookup");
});

t.test("many calls at once wake an engine once", async (t) => {
  const carl = await fleet.provision("carl");
  await carl.sleep();
  const calls = Array.from({ length: 20 }, () => carl.call("/hitl/pending"));
  const starts = [carl.post("start"), fleet.platform("POST", "/engines/admit", { user_id: "carl" })];
  t.same(new Set((await Promise.all([...calls, ...starts])).map(({ status }) => status)), new Set([200]));
  t.equal((await typesOf("carl")).filter((type) => type === "engine.woke").length, 1);
});

t.test("an engine sleeps by itself after idle_stop_s, and not before", async (t) => {
  await fleet.setPolicy({ idle_stop_s: 2 });
  const dora = await fleet.provision("dora");
  await (await dora.execute("talk", "/say hello")).all();
  const asleep = await dora.isIn("sleeping");
  t.equal(asleep.sleep.reason, "idle");
  await fleet.setPolicy({ idle_stop_s: 0 });
  t.equal((await dora.call("/hitl/pending")).status, 200);
  await dora.isIn("running");
});

t.test("stop, destroy and a new key work while an engine sleeps", async (t) => {
  const emil = await fleet.provision("emil");
  await emil.sleep();
  const rotated = await emil.post("rotate-key");
  t.match(rotated, { status: 200, body: { state: "sleeping" } });
  t.equal((await emil.call("/hitl/pending")).status, 401, "it wakes with the new key only");
  await emil.isIn("running");
  await emil.sleep();
  t.match(await emil.post("stop"), { status: 200, body: { state: "stopped", stop_result: "drained" } });
  await t.rejects(emil.call("/hitl/pending"), { code: "ECONNREFUSED" }, "a stopped engine does not wake");
  t.equal((await emil.post("sleep")).body.error.code, "ENGINE_NOT_RUNNING");
  t.match(await emil.post("start"), { status: 200, body: { state: "running", awake: { woken_by: null } } });
  await emil.sleep();
  t.equal(
    (await fleet.platform("POST", "/engines/provision", { user_id: "emil" })).body.error.code,
    "ENGINE_ALREADY_EXISTS",
  );
  t.equal((await fleet.platform("DELETE", "/engines/emil")).status, 200);
  await t.rejects(emil.call("/hitl/pending"), { code: "ECONNREFUSED" });
});

t.test("a question that waits for a person survives the sleep and is answered after it", async (t) => {
  const fred = await fleet.provision("fred");
  const stream = await fred.execute("ask", "/ask Which one? | left | right");
  const { data } = await stream.first("hitl_request");
  t.match(await fred.post("sleep"), { status: 409, body: { error: { code: "ENGINE_BUSY", message: /stream/ } } });
  stream.cut();
  await fred.sleep();
  t.equal((await fred.call("/hitl/respond", { request_id: data.request_id, answer: "left" })).status, 200);
  const events = await until("the turn is over", async () => {
    const { body } = await fred.call("/execute/replay?task_id=ask");
    const ended = body.events.some((one: { data: { phase?: string } }) => one.data.phase === "completed");
    return ended && JSON.stringify(body.events);
  });
  t.ok(events.includes("left"));
});

t.test("metrics and status tell of the sleepers", async (t) => {
  const { text } = await fleet.daemon.admin("/metrics");
  t.match(text, /orch_engines\{state="sleeping"\} \d/);
  t.match(text, /orch_wakes_total\{reason="call",outcome="awake"\} [1-9]/);
  t.match(text, /orch_wake_seconds_count [1-9]/);
  const { body } = await fleet.daemon.admin("/admin/status");
  t.type(body.engines.sleeping, "number");
  t.ok(body.awake.limit > 0);
});
