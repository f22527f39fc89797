import { readdirSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { LONG } from "./parts/long.ts";
import { type Fault, MODES, kills, withFault } from "./parts/injected-fault.ts";
import { openSite } from "./parts/site.ts";

/** Faults of a run in the short form, spread over the push. */
const POINTS = 6;
const MAX_CALLS = 150;

t.setTimeout(LONG ? 1_800_000 : 120_000);
const site = await openSite(t, { engine: "well-behaved", preload: "fault-injector.mjs" });
await site.product.post("/engines/provision", { user_id: "anna" });
let pushes = 0;
const catalog = () => site.product.get("/catalog");
const push = (body: Buffer, headers: Readonly<Record<string, string>> = {}) =>
  site.daemon.platform(site.product.key, "/catalog", { method: "PUT", body, headers });

t.test("a push with a fault at any of its calls leaves the version before or the new one, whole", async (t) => {
  const { count, fired } = await disturb(t, { n: MAX_CALLS, mode: "fail" });
  t.equal(fired, null, "undisturbed");
  t.ok(count > 5 && count < MAX_CALLS, `it makes ${count} calls`);
  const points = LONG
    ? MODES.flatMap((mode) => Array.from({ length: count }, (_, at) => ({ n: at + 1, mode })))
    : Array.from({ length: POINTS }, (_, at) => ({
        n: Math.ceil(((at + 0.5) * count) / POINTS),
        mode: MODES[at % MODES.length] ?? "before",
      }));
  for (const fault of points) await disturb(t, fault);
});

async function disturb(t: Test, fault: Fault) {
  const before = (await catalog()).body;
  const archive = await catalogArchive({ "core-soul.md": `Soul ${++pushes}.` });
  let status: number | null = null;
  const tried = await withFault(site.daemon, fault, async () => {
    status = await push(archive).then(
      (answer) => answer.status,
      () => null,
    );
  });
  if (tried.died) await site.restart();
  t.equal(tried.died && !kills(fault.mode), false, "an error ends no daemon");
  const where = `${fault.mode} call ${fault.n}: ${tried.fired}; answered ${status}`;
  const after = (await catalog()).body;
  const versions = status === 200 ? [before.version + 1] : [before.version, before.version + 1];
  t.ok(versions.includes(after.version), `${where}; version ${after.version} after ${before.version}`);
  if (after.version === before.version) t.same(after, before);
  const { rows } = await site.db.query("select type from events where type like 'catalog.%'");
  t.equal(rows.length, after.version, "one event per version");
  // The same push again: nothing is in its way.
  const again = await push(archive, { "if-match": `"${after.version}"` });
  t.equal(again.status, 200, again.text);
  t.equal(again.body.version, before.version + 1);
  t.equal(again.body.is_new, after.version === before.version);
  t.same(readdirSync(join(site.dataDir, "catalogs/.new")), [], "nothing of a dead daemon is left");
  return tried;
}
