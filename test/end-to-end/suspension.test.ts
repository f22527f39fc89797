import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port) } });
const anna = await fleet.provision("anna");
const bob = await fleet.provision("bob");

const REFUSED = { status: 403, body: { error: "POLICY_DENIED", message: "the product is suspended" } };
const gateway = (id: string, key: string, path: string, body?: object) =>
  ask(base, `/e/${id}${path}`, { headers: { "x-engine-key": key }, ...(body && { method: "POST", body }) });
const turn = (message: string, taskId = "talk") => ({ task_id: taskId, message });
const lift = () => fleet.setPolicy({ suspended: false, suspend: "drain" });

t.test("a suspended product's engines start no turn, at their own address and through the gateway", async (t) => {
  const running = await anna.execute("slow", "/slow 500");
  await running.first("thread_lifecycle");
  const asking = await anna.execute("ask", "/ask Which one? | left | right");
  const { data } = await asking.first("hitl_request");
  await fleet.setPolicy({ suspended: true });
  t.match(await anna.call("/execute", turn("/say no")), REFUSED, "when the policy's call is answered");
  t.match(await gateway(anna.id, anna.key, "/execute", turn("/say no")), REFUSED);
  t.match(await anna.call("/hitl/respond", { request_id: data.request_id, answer: "left" }), REFUSED);
  t.match(await anna.call("/admin/lc/trigger", {}), REFUSED);
  t.match((await running.all()).at(-1), { data: { phase: "completed" } }, "a running turn ends by itself");
  t.equal((await anna.call("/execute/replay")).status, 200, "it can be read");
  await lift();
  t.equal((await anna.call("/hitl/respond", { request_id: data.request_id, answer: "left" })).status, 200);
  t.match((await asking.all()).at(-1), { data: { phase: "completed" } });
  t.equal((await anna.call("/execute", turn("/say yes"))).status, 200);
});

t.test("a suspension that cuts cancels running and waiting turns", async (t) => {
  const running = await anna.execute("slow", "/slow 600000");
  await running.first("thread_lifecycle");
  const asking = await bob.execute("ask", "/ask Which one? | left | right");
  await asking.first("hitl_request");
  await fleet.setPolicy({ suspended: true, suspend: "now" });
  for (const stream of [running, asking])
    t.match((await stream.all()).at(-1), { event: "error", data: { error: "CANCELLED" } });
  await lift();
});

t.test("a sleeping engine of a suspended product is not woken by any call", async (t) => {
  await bob.sleep();
  await fleet.setPolicy({ suspended: true });
  t.match(await bob.call("/execute", turn("/say no")), REFUSED);
  t.match(await gateway(bob.id, bob.key, "/execute", turn("/say no")), REFUSED);
  t.match(await bob.call("/hitl/pending"), REFUSED, "again");
  t.match(await fleet.platform("GET", "/engines/bob"), { body: { state: "sleeping" } });
  await lift();
  await until("a call wakes it", async () => (await bob.call("/hitl/pending")).status === 200);
});

t.test("engines that start, crash or change their daemon meanwhile are suspended too", async (t) => {
  await fleet.setPolicy({ suspended: true });
  const { pid } = await anna.show();
  process.kill(pid, "SIGKILL");
  await until("it runs again", async () => {
    const now = await anna.show();
    return now.state === "running" && now.pid !== pid;
  });
  t.match(await anna.call("/execute", turn("/say no")), REFUSED, "after a crash");
  await lift();
  t.equal((await anna.call("/execute", turn("/say yes"))).status, 200);
  process.kill((await bob.show()).pid, "SIGSTOP");
  const stopped = (await bob.show()).pid;
  await fleet.setPolicy({ suspended: true });
  await fleet.daemon.stop("SIGKILL");
  await fleet.restart();
  t.match(await anna.call("/execute", turn("/say no")), REFUSED, "adopted by another daemon");
  await lift();
  await until(
    "the next daemon has told it",
    async () => (await anna.call("/execute", turn("/say yes"))).status === 200,
  );
  await fleet.setPolicy({ suspended: true });
  process.kill(stopped, "SIGCONT");
  await until("one that did not answer is told once it does", async () => {
    const { status } = await bob.call("/execute", turn("/say no"));
    return status === 403;
  });
  await lift();
});

t.test("schedules of a suspended product start no turn", async (t) => {
  const timing = { kind: "at", at: new Date(Date.now() + 1500).toISOString() };
  const schedule = { name: "reminder", timing, message: "/say reminder", task_id: "reminders" };
  const made = await fleet.platform("POST", "/engines/anna/schedules", schedule);
  t.equal(made.status, 201, made.text);
  await fleet.setPolicy({ suspended: true });
  t.match(await fleet.platform("POST", `/engines/anna/schedules/${made.body.id}/run`), {
    status: 403,
    body: { error: { code: "POLICY_DENIED" } },
  });
  const missed = await until("its due time is over", async () => {
    const { body } = await fleet.platform("GET", `/engines/anna/schedules/${made.body.id}/runs`);
    return body.data[0];
  });
  t.match(missed, { state: "missed", error: "the product is suspended", turn_id: null });
  await lift();
});
