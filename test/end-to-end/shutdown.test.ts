import t from "tap";
import { type Sleeper, openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

/** Longer than the stop of a daemon takes, on any machine: what waits so long for it was not told of the stop. */
const LONG_S = 120;
const fleet = await openFleet(t, { policy: { drain_s: LONG_S, max_schedules: 5 } });

/** Starts a run of a schedule whose turn does not end. */
async function keepBusy(user: string): Promise<Sleeper> {
  const engine = await fleet.provision(user);
  const timing = { kind: "at", at: new Date(Date.now() + 3_600_000).toISOString() };
  const schedule = { name: "busy", timing, message: `/slow ${LONG_S * 1000}\n/say late` };
  const { id } = (await fleet.platform("POST", `/engines/${user}/schedules`, schedule)).body;
  await fleet.platform("POST", `/engines/${user}/schedules/${id}/run`, {});
  await until(`the turn of ${user} runs`, async () => {
    const { body } = await fleet.platform("GET", `/engines/${user}/schedules/${id}/runs`);
    return body.data[0]?.state === "running";
  });
  return engine;
}

t.test(
  "a daemon that stops answers the calls that wait, and ends its work before it closes the database",
  async (t) => {
    const { daemon } = fleet;
    const [dora] = await Promise.all(["dora", "anna", "bob", "carl"].map(keepBusy));
    // Its caller goes away, so that only the engine's state is left of the call.
    const gone = new AbortController();
    const stop = daemon.platform(fleet.platformKey, "/engines/bob/stop", { method: "POST", signal: gone.signal });
    stop.catch(() => undefined);
    await until("bob drains", async () => (await fleet.platform("GET", "/engines/bob")).body.state === "stopping");
    gone.abort();
    const waiting = [
      ...Array.from({ length: 5 }, () => fleet.platform("GET", `/engines/anna/wait?state=stopped&timeout_s=${LONG_S}`)),
      fleet.platform("POST", "/engines/admit", { user_id: "bob" }),
      fleet.platform("POST", "/engines/carl/stop", {}),
      daemon.admin(`/admin/engines/${dora?.id}/restart`, { method: "POST", body: {} }),
    ];
    await until("carl drains", async () => (await fleet.platform("GET", "/engines/carl")).body.state === "stopping");
    await until("dora drains", async () => {
      const answer = await dora?.call("/execute", { task_id: "more", message: "/say hi" });
      return answer?.body?.error === "ENGINE_DRAINING";
    });
    const received = (await daemon.admin("/metrics")).status;
    t.equal(received, 200, "the calls were received before this one");
    const startedAt = performance.now();
    t.equal(await daemon.stop(), 0);
    t.ok(performance.now() - startedAt < (LONG_S * 1000) / 2, "it does not wait for engines");
    for (const answer of await Promise.all(waiting))
      t.match(answer, {
        status: 503,
        headers: { "retry-after": "1" },
        body: { error: { code: "SERVICE_UNAVAILABLE", message: "orchd is stopping" } },
      });
    const lines = daemon.output().split("\n");
    const stopped = lines.slice(lines.findIndex((line) => line.startsWith("orchd stops on SIGTERM")) + 1);
    t.same(
      stopped.filter((line) => /"level":[456]0/.test(line)),
      [],
      "nothing goes wrong",
    );
    // Removes the engines at the end of the test.
    await fleet.restart();
  },
);
