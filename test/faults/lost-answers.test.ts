import t, { type Test } from "tap";
import { until } from "../helpers/until.ts";
import { withFault } from "./parts/injected-fault.ts";
import { LONG } from "./parts/long.ts";
import { settle } from "./parts/invariants.ts";
import { OPERATIONS, bring, stateOf } from "./parts/operations-under-fault.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

/** The calls of an operation. Faults apply to database calls among them. */
const CALLS = LONG ? 40 : 18;
/** Shorter than the deadline of any state, so that no deadline settles the operation. */
const SOON_MS = 20_000;

t.setTimeout(LONG ? 3_600_000 : 300_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, {
  engine: "well-behaved",
  preload: "fault-injector.mjs",
  env: { ORCH_BOOT_TIMEOUT_S: "120" },
});
const { product } = site;
let users = 0;

const lastError = async (user: string) => {
  const { rows } = await site.db.query("select last_error, restart_count from engines where user_id = $1", [user]);
  return rows[0];
};

for (const operation of OPERATIONS.filter(({ name }) => name !== "rotate-key")) {
  t.test(`${operation.name} settles soon after a lost database result`, async (t) => {
    for (let n = 1; n <= CALLS; n++) {
      const user = `user-${++users}`;
      await bring(site, user, operation.from);
      const { fired } = await withFault(site.daemon, { n, mode: "lost" }, () =>
        // Its own response is among the calls.
        operation.run(product, user).catch(() => null),
      );
      if (fired === null) break;
      tally.tried++;
      t.same(await settle(site, tally, { deadlineMs: SOON_MS }), {}, `${operation.name}, call ${n}: ${fired}`);
      if ((await stateOf(site, user)) === "running") {
        const { last_error, restart_count } = await lastError(user);
        t.same([last_error, restart_count], [null, 0], "nothing is counted against the engine");
      }
      await bring(site, user, "gone");
    }
  });
}

t.test("a restart settles soon after a lost database result and counts once", async (t: Test) => {
  for (let n = 1; n <= CALLS; n++) {
    const user = `user-${++users}`;
    await bring(site, user, "running");
    const { pid } = (await product.get(`/engines/${user}`)).body;
    const { fired } = await withFault(site.daemon, { n, mode: "lost" }, async () => {
      process.kill(pid, "SIGKILL");
      await until(
        "it runs again",
        async () => {
          const { body } = await product.get(`/engines/${user}`);
          return body?.state === "running" && body.pid !== pid;
        },
        60_000,
      );
    });
    tally.tried++;
    t.same(await settle(site, tally, { deadlineMs: SOON_MS }), {}, `call ${n}: ${fired}`);
    const { last_error, restart_count } = await lastError(user);
    t.equal(restart_count, 1, `call ${n}: ${fired}`);
    t.match(last_error, { phase: "run", signal: "SIGKILL" });
    await bring(site, user, "gone");
  }
});
