import t from "tap";
import { until } from "../helpers/until.ts";
import { engineProcesses } from "./parts/engine-processes.ts";
import { settle } from "./parts/invariants.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

t.setTimeout(180_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const SLOTS = 2;
const site = await openSite(t, {
  ownServer: true,
  engine: "well-behaved",
  env: { ORCH_BOOT_CONCURRENCY: String(SLOTS) },
});
const { product } = site;

const stateOf = async (user: string) => (await product.get(`/engines/${user}`)).body;

/** Kills an engine until its back-off is long enough for a database outage.  */
async function crashUntilItWaits(user: string): Promise<void> {
  for (let crashes = 1; crashes <= 3; crashes++) {
    const { pid } = await until(
      `${user} runs`,
      async () => {
        const engine = await stateOf(user);
        return engine.state === "running" && engine;
      },
      30_000,
    );
    process.kill(pid, "SIGKILL");
    await until(`crash ${crashes} of ${user} is counted`, async () => (await stateOf(user)).restarts.count === crashes);
  }
}

t.test("restarts that wait for the database do not block the revival of other engines", async (t) => {
  tally.tried++;
  const waiting = Array.from({ length: SLOTS }, (_, index) => `waits-${index}`);
  for (const user_id of [...waiting, "revived"]) await product.post("/engines/provision", { user_id });
  const { id, pid } = await stateOf("revived");
  await Promise.all(waiting.map(crashUntilItWaits));
  const { rows } = await site.db.query("select max(next_restart_at) as due from engines where state = 'backoff'");
  const comeBack = await site.databaseAway();
  await until("the restarts are due", () => Date.now() > new Date(rows[0]?.due).getTime() + 500, 30_000);
  process.kill(pid, "SIGKILL");
  await until(
    "it runs again, without the database",
    () => engineProcesses(site.dataDir).some((one) => one.engineId === id && one.pid !== pid),
    30_000,
  );
  await comeBack();
  t.same(await settle(site, tally, { deadlineMs: 60_000 }), {});
  for (const user of [...waiting, "revived"]) t.match(await stateOf(user), { state: "running" }, user);
});
