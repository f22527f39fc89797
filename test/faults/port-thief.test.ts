import t from "tap";
import { ask } from "../helpers/api.ts";
import { NOT_HELD } from "../helpers/fleet.ts";
import { LONG } from "./parts/long.ts";
import { settle } from "./parts/invariants.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";
import { startThief } from "./parts/thief.ts";

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
// Nobody can take a port that the daemon holds: see held-ports.test.ts.
const site = await openSite(t, { engine: "is-robbed", env: { ORCH_HOST: NOT_HELD } });
const thief = await startThief(t, site.dataDir);
const { product } = site;

async function toldOf(engineId: string): Promise<readonly number[]> {
  const { rows } = await site.db.query("select data from events where type = 'host.port_taken' and engine_id = $1", [
    engineId,
  ]);
  return rows.map(({ data }) => data.port);
}

async function isQuarantined(port: number | undefined): Promise<boolean> {
  const { rowCount } = await site.db.query("select from ports where port = $1 and quarantined_until > now()", [port]);
  return rowCount === 1;
}

t.test("a provision whose port is taken during the boot gets another port", async (t) => {
  for (const user_id of ["ends", "x.lingers"]) {
    tally.tried++;
    thief.steals(1);
    const made = await product.post("/engines/provision", { user_id });
    t.equal(made.status, 201, user_id);
    const [stolen] = thief.held;
    t.not(made.body.port, stolen);
    t.equal((await ask(made.body.url, "/health")).body.incarnation, made.body.incarnation);
    t.same(await toldOf(made.body.id), [stolen], "the theft is told");
    t.ok(await isQuarantined(stolen), "the stolen port is quarantined");
    t.same(await settle(site, tally), {});
    await thief.dispose();
  }
});

t.test("a start whose port is taken gets another port", async (t) => {
  tally.tried++;
  await product.post("/engines/ends/stop", { force: true });
  thief.steals(2);
  const started = await product.post("/engines/ends/start");
  t.equal(started.status, 200);
  t.equal(thief.held.length, 2);
  t.notOk(thief.held.includes(started.body.port));
  t.same(await settle(site, tally), {});
  await thief.dispose();
});

t.test("a restart after a crash whose port is taken gets another port", async (t) => {
  tally.tried++;
  const { body } = await product.get("/engines/ends");
  thief.steals(1);
  process.kill(body.pid, "SIGKILL");
  const again = await product.get("/engines/ends/wait?state=backoff&timeout_s=20");
  t.ok(again.status === 200 || again.status === 504);
  t.equal((await product.get("/engines/ends/wait?state=running&timeout_s=60")).status, 200);
  t.same(await settle(site, tally, { deadlineMs: 40_000 }), {});
  t.not((await product.get("/engines/ends")).body.port, body.port);
  await thief.dispose();
});

t.test("many concurrent boots with taken ports get different ports", async (t) => {
  tally.tried++;
  thief.steals(5);
  const users = ["a", "b", "c", "d", "e"];
  const made = await Promise.all(users.map((user_id) => product.post("/engines/provision", { user_id })));
  t.same(
    made.map(({ status }) => status),
    users.map(() => 201),
  );
  t.equal(thief.held.length, 5);
  t.same(await settle(site, tally), {});
});
