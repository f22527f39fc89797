import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { type Fault, armed, disarm, faultIn, withFault } from "./parts/injected-fault.ts";
import { clearAway, settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { OPERATIONS, type OperationUnderFault, bring, stateOf } from "./parts/operations-under-fault.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

/** The calls of the operation before which its daemon is killed. */
const FIRST_DEATHS = LONG ? [0.3, 0.5, 0.7, 0.9] : [0.6];
/** The calls of the next daemon before which it is killed. The first dozen open its folder and database. */
const SECOND_DEATHS = LONG ? Array.from({ length: 17 }, (_, index) => 12 + 2 * index) : [26];
/** Those that begin with no process, a sleeping and a running one. test/faults/fault-points.test.ts kills all of them once. */
const SHORT = ["provision", "wake by a call", "destroy"];
/** The recovery that a daemon continues once it is ready. */
const AFTERWARDS_MS = 300;

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { engine: "well-behaved", preload: "fault-injector.mjs" });
let users = 0;

for (const operation of OPERATIONS.filter(({ name }) => LONG || SHORT.includes(name))) {
  t.test(
    `${operation.name}, whose daemon is killed, and the next one during recovery, ends in a legal state`,
    async (t) => {
      for (const first of FIRST_DEATHS)
        for (const second of SECOND_DEATHS) await killTwice(t, operation, { first, second });
    },
  );
}

async function killTwice(
  t: Test,
  operation: OperationUnderFault,
  deaths: { first: number; second: number },
): Promise<void> {
  const user = `user-${++users}`;
  const calls = await undisturbed(operation, `${user}-before`);
  await bring(site, user, operation.from);
  const run = () => operation.run(site.product, user).catch(() => null);
  const one = await withFault(site.daemon, { n: Math.ceil(deaths.first * calls), mode: "before" }, run);
  const fault: Fault = { n: deaths.second, mode: "before" };
  const second = one.died ? await nextDies(fault) : null;
  tally.tried += second === null ? 1 : 2;
  const broken = await settle(site, tally, { patienceMs: 2000 });
  const end = await stateOf(site, user);
  const legal = [operation.from, operation.done];
  const where = `killed before ${one.fired}, then at ${fault.n} before ${second}`;
  t.same({ broken, end }, { broken: {}, end: legal.includes(end) ? end : legal }, where);
  if (Object.keys(broken).length > 0) await clearAway(site);
  await bring(site, user, "gone");
}

/** Starts the next daemon with this fault and, if it died, another. Returns the call before which it died. */
async function nextDies(fault: Fault): Promise<string | null> {
  const ready = await site.restart(armed(fault)).catch((error: unknown) => String(error));
  if (typeof ready === "string") {
    await site.restart();
    return faultIn(ready);
  }
  await sleep(AFTERWARDS_MS);
  const { died, fired } = await disarm(ready, fault);
  if (died) await site.restart();
  return fired;
}

/** The number of calls of the operation without a fault. */
async function undisturbed(operation: OperationUnderFault, user: string): Promise<number> {
  await bring(site, user, operation.from);
  const never: Fault = { n: Number.MAX_SAFE_INTEGER, mode: "before" };
  const { count } = await withFault(site.daemon, never, () => operation.run(site.product, user));
  await bring(site, user, "gone");
  return count;
}
