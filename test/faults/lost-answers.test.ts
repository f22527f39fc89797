import t, { type Test } from "tap";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { withFault } from "./parts/injected-fault.ts";
import { LONG } from "./parts/long.ts";
import { settle } from "./parts/invariants.ts";
import { OPERATIONS, bring, stateOf } from "./parts/operations-under-fault.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

/** The long form disturbs each of the first calls, the short form a few that are spread over the operation. */
const CALLS = 40;
const POINTS = 2;
/** More calls than any operation makes. */
const UNREACHED = 1000;
/** No deadline of a state is that short: what settles within it was not left to a deadline. */
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

const points = (calls: number): readonly number[] =>
  LONG
    ? Array.from({ length: CALLS }, (_, index) => index + 1)
    : Array.from({ length: POINTS }, (_, point) => Math.ceil(((point + 0.5) * calls) / POINTS));

for (const operation of OPERATIONS.filter(({ name }) => name !== "rotate-key")) {
  t.test(`${operation.name} is settled soon when the database's answer to it is lost`, async (t) => {
    const disturbed = async (n: number) => {
      const user = `user-${++users}`;
      await bring(site, user, operation.from);
      const { fired, count } = await withFault(site.daemon, { n, mode: "lost", only: "query" }, () =>
        // Its own answer is among the calls.
        operation.run(product, user).catch(() => null),
      );
      if (fired !== null) tally.tried++;
      const broken = await settle(site, tally, { deadlineMs: SOON_MS });
      const running = (await stateOf(site, user)) === "running";
      const { last_error = null, restart_count = 0 } = running ? await lastError(user) : {};
      await bring(site, user, "gone");
      const sound = Object.keys(broken).length === 0 && last_error === null && restart_count === 0;
      return { fired, count, flaws: sound ? [] : [{ n, fired, broken, last_error, restart_count }] };
    };
    const undisturbed = await disturbed(UNREACHED);
    t.match(undisturbed, { fired: null, flaws: [] });
    const flaws: unknown[] = [];
    for (const n of points(undisturbed.count)) {
      const tried = await disturbed(n);
      flaws.push(...tried.flaws);
      if (tried.fired === null) break;
    }
    t.same(flaws, [], "every disturbed operation settles, and nothing is counted against the engine");
  });
}

t.test("a restart is settled soon when the database's answer to it is lost, and counted once", async (t: Test) => {
  const disturbed = async (n: number) => {
    const user = `user-${++users}`;
    await bring(site, user, "running");
    const { pid } = (await product.get(`/engines/${user}`)).body;
    const { fired, count } = await withFault(site.daemon, { n, mode: "lost", only: "query" }, async () => {
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
    if (fired !== null) tally.tried++;
    const broken = await settle(site, tally, { deadlineMs: SOON_MS });
    const { last_error, restart_count } = await lastError(user);
    await bring(site, user, "gone");
    return { count, found: { n, fired, broken, restart_count, last_error } };
  };
  const { count, found } = await disturbed(UNREACHED);
  const all = [found];
  for (const n of points(count)) all.push((await disturbed(n)).found);
  t.same(
    all.filter(({ broken }) => Object.keys(broken).length > 0),
    [],
    "every restart settles",
  );
  t.match(
    all,
    all.map(() => ({ restart_count: 1, last_error: { phase: "run", signal: "SIGKILL" } })),
  );
});

t.test("a call wakes its engine although the connection of the wake's first query is lost", async (t: Test) => {
  const user = `user-${++users}`;
  await bring(site, user, "sleeping");
  const { url } = (await product.get(`/engines/${user}`)).body;
  tally.tried++;
  // The name of its prepared statement, which is empty, comes first.
  const only = 'query  select * from "engines" where "id"';
  const { fired } = await withFault(site.daemon, { n: 1, mode: "fail", only }, async () => {
    t.equal((await ask(url, "/health")).status, 200);
  });
  t.ok(fired);
  t.same(await settle(site, tally, { deadlineMs: SOON_MS }), {});
  await bring(site, user, "gone");
});
