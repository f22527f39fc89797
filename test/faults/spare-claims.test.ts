import t from "tap";
import { sparePids, sparesReady } from "../helpers/spares.ts";
import { until } from "../helpers/until.ts";
import { LONG } from "./parts/long.ts";
import { type Fault, MODES, type Mode, kills, withFault } from "./parts/injected-fault.ts";
import { clearAway, settle } from "./parts/invariants.ts";
import { OPERATIONS, bring, stateOf } from "./parts/operations-under-fault.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

t.setTimeout(LONG ? 3_600_000 : 180_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { preload: "fault-injector.mjs", env: { ORCH_WARM_ENGINES: "1" } });
let users = 0;

/** In the short form each kind of fault is tried once. */
const TRIED: Readonly<Record<string, readonly Mode[]>> = {
  provision: ["before", "lost"],
  "wake by a call": ["after", "fail"],
};

for (const operation of OPERATIONS) {
  const modes = TRIED[operation.name];
  if (modes === undefined) continue;
  t.test(`${operation.name} with a fault at the claim of a spare, or near it, ends in a legal state`, async (t) => {
    for (const mode of LONG ? MODES : modes)
      t.match(await disturb({ n: 1, only: "claim", mode }), { fired: "claim", broken: {} }, `${mode} the claim`);
    if (!LONG) return;
    const { count } = await disturb({ n: 1000, mode: "fail" });
    for (let n = 1; n <= count; n++)
      for (const mode of MODES) t.match(await disturb({ n, mode }), { broken: {} }, `${mode} call ${n}`);

    async function disturb(fault: Fault) {
      const user = `user-${++users}`;
      await bring(site, user, operation.from);
      await sparesReady(site.daemon, 1);
      const tried = await withFault(site.daemon, fault, () =>
        operation.run(site.product, user).then(undefined, () => null),
      );
      if (tried.died) {
        await until("no spare outlives its daemon", () => sparePids(site.dataDir).length === 0);
        await site.restart();
      }
      if (tried.fired !== null) tally.tried++;
      const broken = await settle(site, tally, { patienceMs: 2000 });
      const end = await stateOf(site, user);
      const legal = [operation.done, operation.from, ...(kills(fault.mode) ? [] : operation.alsoAfterFailure)];
      t.ok(legal.includes(end), `${fault.mode} ${tried.fired}: ${end}`);
      if (Object.keys(broken).length > 0) await clearAway(site);
      await bring(site, user, "gone");
      return { ...tried, broken };
    }
  });
}
