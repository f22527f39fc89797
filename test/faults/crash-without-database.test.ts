import t from "tap";
import type { EventRecord } from "../../src/contract/orchestrator/event.ts";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { engineProcesses } from "./parts/engine-processes.ts";
import { settle } from "./parts/invariants.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

t.setTimeout(120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { ownServer: true, engine: "well-behaved" });
const { product } = site;

const healthOf = async (url: string) => (await ask(url, "/health").catch(() => null))?.body;

t.test("an engine that crashes without the database runs again before the database is back", async (t) => {
  const made = await product.post("/engines/provision", { user_id: "ann" });
  const { pid, url, id } = made.body;
  const comeBack = await site.databaseAway();
  process.kill(pid, "SIGKILL");
  tally.tried++;
  const revived = await until("it runs again", async () =>
    (await healthOf(url)) ? engineProcesses(site.dataDir)[0] : null,
  );
  t.not(revived.pid, pid);
  t.equal(revived.engineId, id);

  await comeBack();
  await until(
    "it is written down",
    async () => {
      const shown = await product.get("/engines/ann");
      return shown.body?.pid === revived.pid;
    },
    30_000,
  );
  t.match((await product.get("/engines/ann")).body, {
    state: "running",
    restarts: { count: 1 },
    last_error: { phase: "run", signal: "SIGKILL" },
  });
  const { body } = await product.get("/engines/ann/events");
  t.match(body.data[0], { type: "engine.restarting", reason: /SIGKILL/, data: { pid: revived.pid } });
  t.equal(body.data.filter(({ type }: EventRecord) => type === "engine.restarting").length, 1);
  t.same(await settle(site, tally), {});
});

t.test("after a daemon crash before that is recorded, the next daemon adopts the process", async (t) => {
  const before = (await product.get("/engines/ann")).body;
  const comeBack = await site.databaseAway();
  process.kill(before.pid, "SIGKILL");
  tally.tried++;
  const revived = await until("it runs again", async () =>
    (await healthOf(before.url)) ? engineProcesses(site.dataDir).find(({ pid }) => pid !== before.pid) : null,
  );
  await site.daemon.stop("SIGKILL");
  await comeBack();
  await site.restart();
  t.match((await product.get("/engines/ann")).body, { state: "running", pid: revived.pid });
  t.same(await settle(site, tally), {});
  t.equal((await product.post("/engines/ann/stop", { force: true })).status, 200);
  t.same(engineProcesses(site.dataDir), []);
});
