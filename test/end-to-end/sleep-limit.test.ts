import t from "tap";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t, { policy: { idle_stop_s: 3600 }, env: { ORCH_MAX_AWAKE: "2" } });
const statesOf = async (users: readonly Sleeper[]): Promise<string> =>
  (await Promise.all(users.map((user) => user.show()))).map(({ state }) => state).join(" ");

const [anna, bob] = [await fleet.provision("anna"), await fleet.provision("bob")];

t.test("at the limit the engine that has been idle longest sleeps before another starts", async (t) => {
  // Anna's report tells that she has worked since.
  const annaWorked = async () => {
    await anna.call("/hitl/pending");
    const { body } = await fleet.platform("GET", "/engines/anna");
    return body.state === "running";
  };
  await annaWorked();
  const carl = await fleet.provision("carl");
  const states = await statesOf([anna, bob, carl]);
  t.equal(states.split("sleeping").length, 2, `one of them sleeps: ${states}`);
  t.match(states, /running$/);
  const sleeper = (await anna.show()).state === "sleeping" ? anna : bob;
  t.equal((await sleeper.show()).sleep.reason, "capacity");
  t.equal((await sleeper.call("/hitl/pending")).status, 200, "it takes the place of another one");
  t.equal((await statesOf([anna, bob, carl])).split("sleeping").length, 2);
  // Its answer may precede the end of its start in the daemon.
  await until("two are awake", async () => {
    const { awake } = (await fleet.daemon.admin("/admin/status")).body;
    return awake.engines === 2 && awake.limit === 2;
  });
});

t.test("when none can sleep, callers get Retry-After", async (t) => {
  const all = [anna, bob, await awoken("carl")];
  const awake = (await Promise.all(all.map((one) => one.show()))).flatMap(({ state, user_id }) =>
    state === "running" ? [user_id as string] : [],
  );
  const streams = await Promise.all(
    all.filter(({ user }) => awake.includes(user)).map((one) => one.execute("busy", "/slow 600000")),
  );
  await Promise.all(streams.map((stream) => stream.first("thread_lifecycle")));
  const sleeper = all.find(({ user }) => !awake.includes(user));
  if (sleeper === undefined) throw new Error("nobody sleeps");
  const [called, started] = await Promise.all([sleeper.call("/hitl/pending"), sleeper.post("start")]);
  t.match(called, { status: 503, body: { error: "SLEEPING_BUSY" } });
  t.match(String(called.headers["retry-after"]), /^[1-9]\d*$/);
  t.match(started, { status: 503, body: { error: { code: "CAPACITY_EXHAUSTED" } } });
  t.equal((await sleeper.show()).state, "sleeping");
  for (const stream of streams) stream.cut();
  for (const user of all.filter((one) => awake.includes(one.user)))
    await user.call("/execute/cancel", { task_id: "busy" });
  await until("a call wakes it again", async () => (await sleeper.call("/hitl/pending")).status === 200, 60_000);
});

async function awoken(user: string): Promise<Sleeper> {
  const { body } = await fleet.platform("POST", `/engines/${user}/rotate-key`, {});
  return fleet.sleeper({ user, id: body.id, url: body.url, key: body.engine_api_key });
}
