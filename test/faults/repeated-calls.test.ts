import t from "tap";
import type { Answer } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { type Fault, MODES, type Mode, withFault } from "./parts/injected-fault.ts";
import { clearAway, settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

const MAX_CALLS = 150;

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { engine: "well-behaved", preload: "fault-injector.mjs" });
const { product } = site;

const provision = (user_id: string): Promise<Answer> =>
  site.daemon.platform(product.key, "/engines/provision", {
    method: "POST",
    body: { user_id },
    headers: { "idempotency-key": `provision ${user_id}`.replaceAll(" ", "-") },
  });

/** Injects a fault into a provision and repeats it with its key, as a client would without a response. */
async function repeatUnder(fault: Fault): Promise<{ readonly fired: string | null; readonly statuses: string }> {
  const user = `user-${fault.mode}-${fault.n}`;
  let first: Answer | null = null;
  const { fired, died } = await withFault(site.daemon, fault, async () => {
    first = await provision(user).catch(() => null);
  });
  if (died) await site.restart();
  if (fired !== null) tally.tried++;
  const last = await until(
    "the repeated call is settled",
    async () => {
      const again = await provision(user);
      const { code } = again.body.error ?? {};
      return code !== "OPERATION_IN_PROGRESS" && code !== "SERVICE_UNAVAILABLE" ? again : null;
    },
    30_000,
  );
  const outcomeOf = (answer: Answer | null) => answer?.body?.error?.code ?? answer?.status ?? "nothing";
  return { fired, statuses: `${outcomeOf(first)}, then ${outcomeOf(last)}` };
}

t.test(
  "a provision repeated with its Idempotency-Key makes one engine, whatever became of the first call",
  async (t) => {
    const points: [number, Mode][] = LONG
      ? MODES.flatMap((mode) => Array.from({ length: 32 }, (_, index): [number, Mode] => [index + 1, mode]))
      : [
          [2, "lost"],
          [5, "after"],
          [12, "before"],
          [22, "after"],
        ];
    for (const [n, mode] of [[MAX_CALLS, "fail"] as [number, Mode], ...points]) {
      const { fired, statuses } = await repeatUnder({ n, mode });
      const where = `${mode} call ${n}: ${fired}; answered ${statuses}`;
      const broken = await settle(site, tally, { patienceMs: 2000 });
      const user = `user-${mode}-${n}`;
      const { rows } = await site.db.query("select state from engines where user_id = $1", [user]);
      // It exists already when the first call created it but could not store its response.
      t.match(statuses, /then (201|ENGINE_ALREADY_EXISTS)$/, where);
      t.same({ broken, rows }, { broken: {}, rows: [{ state: "running" }] }, where);
      if (Object.keys(broken).length > 0) await clearAway(site);
      else t.equal((await product.del(`/engines/${user}`)).status, 200);
    }
  },
);
