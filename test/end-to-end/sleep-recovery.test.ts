import { once } from "node:events";
import { createServer } from "node:net";
import { resolve } from "node:path";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const eventsOf = async (fleet: Awaited<ReturnType<typeof openFleet>>, user: string) =>
  (await fleet.platform("GET", `/engines/${user}/events`)).body.data as { type: string; data: { gap?: boolean } }[];

t.test("sleepers of a daemon that was killed wake by calls to the next one", async (t) => {
  const fleet = await openFleet(t);
  const [anna, bob] = await Promise.all([fleet.provision("anna"), fleet.provision("bob")]);
  await (await anna.execute("talk", "/say Oslo it is")).all();
  await anna.sleep();
  await fleet.daemon.stop("SIGKILL");
  await t.rejects(anna.call("/hitl/pending"), { code: "ECONNREFUSED" }, "nobody holds its socket");
  t.equal((await bob.call("/hitl/pending")).status, 200, "an engine that is awake goes on");
  await fleet.restart();
  t.match(await anna.show(), { state: "sleeping", pid: null });
  const { body: events } = await fleet.daemon.admin("/admin/events?limit=50");
  const [refused, ...more] = events.data.filter(({ type }: { type: string }) => type === "host.calls_refused");
  t.match(refused, { engine_id: null, data: { engines: 1, since: /^\d{4}-/ } }, "the gap is told");
  t.same(more, []);
  const { status, text } = await anna.call("/execute/replay?task_id=talk");
  t.equal(status, 200);
  t.ok(text.includes("Oslo"));
  t.equal((await anna.isIn("running")).awake.woken_by, "call");
  t.match(await bob.isIn("running"), { desired_state: "running" });
  await bob.sleep();
  t.equal((await bob.call("/hitl/pending")).status, 200, "an adopted engine sleeps and wakes too");
  const [slept] = (await eventsOf(fleet, "bob")).filter(({ type }) => type === "engine.slept");
  t.ok(slept);
});

t.test("a sleeper whose port was taken while no daemon ran gets another one", async (t) => {
  const fleet = await openFleet(t);
  const carl = await fleet.provision("carl");
  const { port } = await carl.sleep();
  await fleet.daemon.stop("SIGKILL");
  const thief = createServer().listen(port, "127.0.0.1");
  t.teardown(() => thief.close());
  await once(thief, "listening");
  await fleet.restart();
  const { url } = await until("it has another port", async () => {
    const record = await carl.show();
    return record.port !== port && record;
  });
  t.equal((await carl.show()).state, "sleeping");
  const headers = { "x-engine-key": carl.key };
  t.equal((await ask(url, "/hitl/pending", { headers })).status, 200);
});

t.test("an engine that is killed while it falls asleep is asleep, and did not crash", async (t) => {
  const engine = resolve(import.meta.dirname, "../fixtures/engines/dies-falling-asleep.cjs");
  const fleet = await openFleet(t, { engine });
  const dora = await fleet.provision("dora");
  t.match(await dora.sleep(), { state: "sleeping", pid: null, last_error: null, restarts: { count: 0 } });
  t.equal((await dora.call("/hitl/pending")).status, 200);
  t.notOk((await eventsOf(fleet, "dora")).some(({ type }) => type === "engine.crashed"));
});

t.test("an engine that does not wake is restarted by the crash rule, and its callers get an error", async (t) => {
  const engine = resolve(import.meta.dirname, "../fixtures/engines/wakes-never.cjs");
  const fleet = await openFleet(t, { engine });
  const emil = await fleet.provision("emil");
  await emil.sleep();
  const refused = await emil.call("/hitl/pending");
  t.match(refused, { status: 503, body: { error: "SLEEPING_BUSY" } });
  t.match(String(refused.headers["retry-after"]), /^[1-9]\d*$/);
  t.notMatch(refused.text, /emil|eng_/, "anybody can read it");
  const failed = await until("it is restarted", async () => {
    const record = await emil.show();
    return record.restarts.count > 0 && record;
  });
  t.equal(failed.desired_state, "running");
  t.equal((await emil.post("stop", { force: true })).status, 200);
  await t.rejects(emil.call("/hitl/pending"), { code: "ECONNREFUSED" });
});

t.test("an engine that a daemon was draining when it was killed starts again, for it accepts no turns", async (t) => {
  const fleet = await openFleet(t);
  const finn = await fleet.provision("finn");
  const { incarnation } = await finn.show();
  const turn = await finn.execute("long", "/slow 60000\n/say late");
  const body = { drain_s: 60 };
  const restart = fleet.daemon.admin(`/admin/engines/${finn.id}/restart`, { method: "POST", body }).catch(() => null);
  await until(
    "it accepts no turns",
    async () => (await finn.call("/execute", { task_id: "x", message: "/say a" })).status === 503,
  );
  await fleet.daemon.stop("SIGKILL");
  await restart;
  await fleet.restart();
  const after = await until("the next one runs", async () => {
    const record = await finn.show();
    return record.incarnation !== incarnation && record.running && record;
  });
  t.match(after, { desired_state: "running", restarts: { count: 0 } });
  t.equal((await finn.call("/execute", { task_id: "y", message: "/say b" })).status, 200);
  t.ok((await eventsOf(fleet, "finn")).some(({ type }) => type === "engine.restarting"));
  await turn.all().catch(() => undefined);
});
