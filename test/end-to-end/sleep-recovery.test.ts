import { once } from "node:events";
import { createServer } from "node:net";
import { resolve } from "node:path";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const eventsOf = async (fleet: Awaited<ReturnType<typeof openFleet>>, user: string) =>
  (await fleet.platform("GET", `/engines/${user}/events`)).body.data as { type: string; data: { gap?: boolean } }[];

const fleet = await openFleet(t);
const [anna, bob, carl, finn] = await Promise.all([
  fleet.provision("anna"),
  fleet.provision("bob"),
  fleet.provision("carl"),
  fleet.provision("finn"),
]);
await (await anna.execute("talk", "/say Oslo it is")).all();
await anna.sleep();
const { port: stolen } = await carl.sleep();
const { incarnation: drained } = await finn.show();
const turn = await finn.execute("long", "/slow 60000\n/say late");
const body = { drain_s: 60 };
const restart = fleet.daemon.admin(`/admin/engines/${finn.id}/restart`, { method: "POST", body }).catch(() => null);
await until(
  "it accepts no turns",
  async () => (await finn.call("/execute", { task_id: "x", message: "/say a" })).status === 503,
);
// Anna and Carl sleep, Bob is awake, and Finn's turn is awaited before his restart.
await fleet.daemon.stop("SIGKILL");
await restart;
const thief = createServer().listen(stolen, "127.0.0.1");
t.teardown(() => thief.close());
await once(thief, "listening");

t.test("sleepers of a daemon that was killed wake by calls to the next one", async (t) => {
  await t.rejects(anna.call("/hitl/pending"), { code: "ECONNREFUSED" }, "nobody holds its socket");
  t.equal((await bob.call("/hitl/pending")).status, 200, "an engine that is awake goes on");
  await fleet.restart();
  t.match(await anna.show(), { state: "sleeping", pid: null });
  const { body: events } = await fleet.daemon.admin("/admin/events?limit=50");
  const [refused, ...more] = events.data.filter(({ type }: { type: string }) => type === "host.calls_refused");
  t.match(refused, { engine_id: null, data: { engines: 2, since: /^\d{4}-/ } }, "the gap is told");
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
  const { url } = await until("it has another port", async () => {
    const record = await carl.show();
    return record.port !== stolen && record;
  });
  t.equal((await carl.show()).state, "sleeping");
  const headers = { "x-engine-key": carl.key };
  t.equal((await ask(url, "/hitl/pending", { headers })).status, 200);
});

t.test("an engine that a daemon was draining when it was killed starts again, for it accepts no turns", async (t) => {
  const after = await until("the next one runs", async () => {
    const record = await finn.show();
    return record.incarnation !== drained && record.running && record;
  });
  t.match(after, { desired_state: "running", restarts: { count: 0 } });
  t.equal((await finn.call("/execute", { task_id: "y", message: "/say b" })).status, 200);
  t.ok((await eventsOf(fleet, "finn")).some(({ type }) => type === "engine.restarting"));
  await turn.all().catch(() => undefined);
});

t.test("engines that die when they fall asleep or wake", async (t) => {
  const engine = resolve(import.meta.dirname, "../fixtures/engines/by-user.cjs");
  const fleet = await openFleet(t, { engine });

  await t.test("an engine that is killed while it falls asleep is asleep, and did not crash", async (t) => {
    const dora = await fleet.provision("dies-falling-asleep");
    t.match(await dora.sleep(), { state: "sleeping", pid: null, last_error: null, restarts: { count: 0 } });
    t.equal((await dora.call("/hitl/pending")).status, 200);
    t.notOk((await eventsOf(fleet, "dies-falling-asleep")).some(({ type }) => type === "engine.crashed"));
  });

  await t.test(
    "an engine that does not wake is restarted by the crash rule, and its callers get an error",
    async (t) => {
      const emil = await fleet.provision("wakes-never");
      await emil.sleep();
      const refused = await emil.call("/hitl/pending");
      t.match(refused, { status: 503, body: { error: "SLEEPING_BUSY" } });
      t.match(String(refused.headers["retry-after"]), /^[1-9]\d*$/);
      t.notMatch(refused.text, /wakes-never|eng_/, "anybody can read it");
      const failed = await until("it is restarted", async () => {
        const record = await emil.show();
        return record.restarts.count > 0 && record;
      });
      t.equal(failed.desired_state, "running");
      t.equal((await emil.post("stop", { force: true })).status, 200);
      await t.rejects(emil.call("/hitl/pending"), { code: "ECONNREFUSED" });
    },
  );
});
