import t, { type Test } from "tap";
import { LONG } from "./parts/long.ts";
import { type Fault, MODES, type Mode, type Tried, kills, withFault } from "./parts/injected-fault.ts";
import { clearAway, settle } from "./parts/invariants.ts";
import { OPERATIONS, type OperationUnderFault, bring, stateOf } from "./parts/operations-under-fault.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

/** Faults per operation and run in the short form. */
const POINTS = 2;
const MAX_CALLS = 150;

t.setTimeout(LONG ? 3_600_000 : 600_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { engine: "well-behaved", preload: "fault-injector.mjs" });
let users = 0;

for (const operation of OPERATIONS) {
  t.test(`${operation.name} with a fault at any of its calls ends in a legal state`, async (t) => {
    const { fired, count } = await disturb(t, operation, { n: MAX_CALLS, mode: "fail" });
    t.equal(fired, null, "undisturbed");
    t.ok(count > 3 && count < MAX_CALLS, `it makes ${count} calls`);
    await (LONG ? everywhere(t, operation) : here(t, operation, count));
  });
}

/** Each fault at each call, until a run completes without one. */
async function everywhere(t: Test, operation: OperationUnderFault): Promise<void> {
  for (const mode of MODES) {
    let untouched = false;
    for (let n = 1; !untouched && n < MAX_CALLS; n++) {
      const { fired } = await disturb(t, operation, { n, mode });
      untouched = fired === null;
    }
    t.ok(untouched, `${mode}: a run passes untouched`);
  }
}

/** Alternating faults at a few calls, spread over the operation. */
async function here(t: Test, operation: OperationUnderFault, calls: number): Promise<void> {
  for (let point = 0; point < POINTS; point++) {
    const n = Math.ceil(((point + 0.5) * calls) / POINTS);
    await disturb(t, operation, { n, mode: MODES[(point + OPERATIONS.indexOf(operation)) % MODES.length] ?? "before" });
  }
}

async function disturb(t: Test, operation: OperationUnderFault, fault: Fault): Promise<Tried> {
  const user = `user-${++users}`;
  await bring(site, user, operation.from);
  let status: number | null = null;
  const tried = await withFault(site.daemon, fault, async () => {
    status = await operation.run(site.product, user).then(
      (answer) => answer.status,
      () => null,
    );
  });
  if (tried.died) await site.restart();
  const { fired } = tried;
  if (fired !== null) tally.tried++;
  const where = `${operation.name}, ${fault.mode} call ${fault.n}: ${fired}; answered ${status}`;
  const broken = await settle(site, tally, { patienceMs: 2000 });
  const end = await stateOf(site, user);
  const legal = legalEnds(operation, fault.mode, status);
  t.same({ broken, end }, { broken: {}, end: legal.includes(end) ? end : legal }, where);
  if (Object.keys(broken).length > 0) await clearAway(site);
  await bring(site, user, "gone");
  return tried;
}

/** A success must hold. After a failure or no response, one of two states is legal. */
function legalEnds({ from, done, alsoAfterFailure }: OperationUnderFault, mode: Mode, status: number | null) {
  if (status !== null && status < 300) return [done];
  return kills(mode) ? [from, done] : [from, done, ...alsoAfterFailure];
}
