import { execFileSync } from "node:child_process";
import { Agent, request } from "node:http";
import t from "tap";
import { until } from "../helpers/until.ts";
import { engineProcesses } from "./parts/engine-processes.ts";
import { settle } from "./parts/invariants.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

t.setTimeout(180_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { engine: "well-behaved", env: { ORCH_HEALTH_INTERVAL_S: "1" } });
const { product } = site;
/** The time to finish what the shortage interrupted. Shorter than the deadlines of states. */
const SOON_MS = 30_000;

const SHORTAGE = /too many open files|EMFILE/;

/** A connection from before the shortage, during which the daemon can accept none. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
t.teardown(() => agent.destroy());
function call(method: string, path: string, body?: unknown): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "x-platform-key": product.key, "content-type": "application/json" };
    const sent = request(site.daemon.url + path, { method, agent, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Leaves the daemon without free descriptors during `work`. */
async function withoutDescriptors(work: () => Promise<unknown>): Promise<void> {
  const { pid } = site.daemon.process;
  const limit = (soft: number) => execFileSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`]);
  await call("GET", "/engines");
  limit(3);
  try {
    await work();
  } finally {
    limit(1024);
  }
}

for (const origin of ["started", "adopted"]) {
  t.test(`an engine that was ${origin} and exits while the daemon has no descriptors restarts`, async (t) => {
    tally.tried++;
    const { body: made } = await product.post("/engines/provision", { user_id: origin });
    if (origin === "adopted") {
      await site.daemon.stop();
      await site.restart();
    }
    const { daemon } = site;
    const printed = daemon.output().length;
    const alive = () => {
      if (daemon.process.exitCode !== null) throw new Error(`the daemon has ended:\n${daemon.output().slice(printed)}`);
      return true;
    };
    await withoutDescriptors(async () => {
      process.kill(made.pid, "SIGKILL");
      await until("the daemon has met the shortage", () => alive() && SHORTAGE.test(daemon.output().slice(printed)));
    });
    const restarted = () =>
      engineProcesses(site.dataDir).some((one) => one.engineId === made.id && one.pid !== made.pid);
    await until("it runs again", () => alive() && restarted(), SOON_MS);
    t.same(await settle(site, tally, { deadlineMs: SOON_MS }), {});
    t.match((await product.get(`/engines/${origin}`)).body, { state: "running", restarts: { count: 1 } });
  });
}

for (const [verb, path, method] of [
  ["stop", "/engines/ends/stop", "POST"],
  ["destroy", "/engines/ends", "DELETE"],
] as const) {
  t.test(`a ${verb} that fails without descriptors is finished when some are free`, async (t) => {
    tally.tried++;
    t.equal((await product.post("/engines/admit", { user_id: "ends" })).status < 300, true);
    await withoutDescriptors(async () => {
      t.ok((await call(method, path, verb === "stop" ? {} : undefined)) >= 500);
    });
    t.same(await settle(site, tally, { deadlineMs: SOON_MS }), {});
    const { status, body } = await product.get("/engines/ends");
    if (verb === "stop") t.match(body, { state: "stopped" });
    else t.equal(status, 404);
  });
}

t.test("a provision that fails without descriptors leaves nothing", async (t) => {
  tally.tried++;
  await withoutDescriptors(async () => {
    t.ok((await call("POST", "/engines/provision", { user_id: "new" })) >= 500);
  });
  await until("the engine is gone", async () => (await product.get("/engines/new")).status === 404, SOON_MS);
  t.same(await settle(site, tally, { deadlineMs: SOON_MS }), {});
  t.equal((await product.post("/engines/provision", { user_id: "new" })).status, 201);
});
