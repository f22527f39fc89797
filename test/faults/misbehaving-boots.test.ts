import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { LONG } from "./parts/long.ts";
import { settle } from "./parts/invariants.ts";
import { isAlive } from "./parts/is-alive.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const env = { ORCH_BOOT_TIMEOUT_S: "5", ORCH_BOOT_CONCURRENCY: "8" };
const site = await openSite(t, { engine: "by-user", env });
const { product } = site;
const folderOf = (id: string): string => join(site.dataDir, "engines", id);

/** The children that a fixture recorded. They are killed after the test. */
function childrenOf(t: Test, id: string): readonly number[] {
  const pids: number[] = JSON.parse(readFileSync(join(folderOf(id), "children.json"), "utf8"));
  t.teardown(() => pids.filter(isAlive).forEach((pid) => process.kill(pid, "SIGKILL")));
  return pids;
}

t.test("engines that never boot fail as the table says and leave nothing", async (t) => {
  const failures = {
    "never-healthy": [504, "BOOT_TIMEOUT"],
    "accepts-and-hangs": [504, "BOOT_TIMEOUT"],
    "exits-at-once": [502, "BACKEND_ERROR"],
    // It answers with another incarnation, which is refused on every port.
    "wrong-identity": [504, "BOOT_TIMEOUT"],
  };
  const answers = await Promise.all(
    Object.keys(failures).map(async (user_id) => {
      tally.tried++;
      const { status, body } = await product.post("/engines/provision", { user_id });
      return [user_id, [status, body.error?.code]];
    }),
  );
  t.same(Object.fromEntries(answers), failures);
  t.same(await settle(site, tally, { deadlineMs: 40_000 }), {});
});

t.test("a slow boot is awaited", async (t) => {
  tally.tried++;
  t.equal((await product.post("/engines/provision", { user_id: "slow-start" })).status, 201);
  t.same(await settle(site, tally), {});
});

t.test("a failed start leaves the engine failed with its data and the reason", async (t) => {
  tally.tried++;
  await product.post("/engines/provision", { user_id: "exits-at-once", start: false });
  t.equal((await product.post("/engines/exits-at-once/start")).body.error.code, "BACKEND_ERROR");
  const { body } = await product.get("/engines/exits-at-once");
  t.match(body, { state: "failed", last_error: { phase: "boot", exit_code: 78, log_tail: [/not one of ours/] } });
  const { body: events } = await product.get("/engines/exits-at-once/events?limit=200");
  t.match(
    events.data.find(({ type }: { type: string }) => type === "engine.gave_up"),
    { reason: /exited with code 78/, data: { phase: "boot", exit_code: 78, log_tail: [/not one of ours/] } },
  );
  t.ok(existsSync(folderOf(body.id)));
  t.same(await settle(site, tally), {});
});

t.test("a stop of an engine that ignores SIGTERM reports killed", async (t) => {
  tally.tried++;
  const { body } = await product.post("/engines/provision", { user_id: "ignores-sigterm" });
  t.match(await product.post("/engines/ignores-sigterm/stop", { force: true }), {
    status: 200,
    body: { state: "stopped", stop_result: "killed" },
  });
  t.notOk(isAlive(body.pid));
  t.same(await settle(site, tally), {});
});

t.test("a stop ends the whole process tree, across sessions", async (t) => {
  tally.tried++;
  const { body } = await product.post("/engines/provision", { user_id: "forks-children" });
  const children = childrenOf(t, body.id);
  t.same(children.map(isAlive), [true, true, true]);
  t.equal((await product.post("/engines/forks-children/stop", { force: true })).status, 200);
  t.same(children.map(isAlive), [false, false, false]);
  t.same(await settle(site, tally), {});
});

t.test("an engine that leaves zombies can be stopped", async (t) => {
  tally.tried++;
  t.equal((await product.post("/engines/provision", { user_id: "zombie-maker" })).status, 201);
  t.equal((await product.del("/engines/zombie-maker")).status, 200);
  t.same(await settle(site, tally), {});
});

t.test("the logs of an engine that prints without end are bounded", async (t) => {
  tally.tried++;
  const { body } = await product.post("/engines/provision", { user_id: "log-bomb" });
  const logs = () => readdirSync(folderOf(body.id)).filter((name) => name.startsWith("engine.log"));
  const bytes = () => logs().reduce((sum, name) => sum + statSync(join(folderOf(body.id), name)).size, 0);
  await until(
    "it is done",
    async () => (await product.get("/engines/log-bomb/logs?tail=1")).text.includes("done"),
    30_000,
  );
  await until("its logs fit", () => bytes() <= 50 * 1024 * 1024, 30_000);
  t.ok(logs().length <= 5);
  t.equal((await product.get("/engines/log-bomb")).body.pid, body.pid);
  t.same(await settle(site, tally), {});
  t.equal((await product.del("/engines/log-bomb")).status, 200);
});

t.test(
  "an engine that prints 100 MB a second for a minute fills no disk and slows nobody",
  { skip: !LONG && "long" },
  async (t) => {
    tally.tried++;
    const user = "log-bomb.minute";
    const neighbour = await product.post("/engines/provision", { user_id: "well-behaved" });
    const { body } = await product.post("/engines/provision", { user_id: user });
    const logBytes = () =>
      readdirSync(folderOf(body.id))
        // A file that is renamed meanwhile is counted under its next name or later.
        .map((name) => statSync(join(folderOf(body.id), name), { throwIfNoEntry: false })?.size ?? 0)
        .reduce((sum, size) => sum + size, 0);
    const answers = new Set<unknown>();
    let most = 0;
    let slowest = 0;
    for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
      const start = performance.now();
      answers.add((await ask(neighbour.body.url, "/health")).status);
      answers.add((await product.get("/engines/well-behaved")).body.state);
      slowest = Math.max(slowest, performance.now() - start);
      most = Math.max(most, logBytes());
    }
    t.same([...answers], [200, "running"], "its neighbour and the daemon answer all the time");
    t.comment(`at most ${Math.round(most / 1e6)} MB of logs, slowest pair of calls ${Math.round(slowest)} ms`);
    t.ok(most < 500_000_000, `${most} bytes`);
    await until("its logs fit", () => logBytes() <= 60 * 1024 * 1024, 60_000);
    t.equal((await product.get(`/engines/${user}`)).body.pid, body.pid);
    for (const name of [user, "well-behaved"]) t.equal((await product.del(`/engines/${name}`)).status, 200);
    t.same(await settle(site, tally), {});
  },
);

t.test("a grandchild that listens on the port of an exited engine is killed, and the engine restarts", async (t) => {
  tally.tried++;
  const { body } = await product.post("/engines/provision", { user_id: "double-forks-listener" });
  const [squatter = 0] = childrenOf(t, body.id);
  process.kill(body.pid, "SIGKILL");
  const again = await until(
    "it runs again",
    async () => {
      const now = await product.get("/engines/double-forks-listener");
      return now.body.state === "running" && now.body.pid !== body.pid && now.body;
    },
    20_000,
  );
  t.equal(again.port, body.port, "on its port");
  t.notOk(isAlive(squatter));
  t.equal((await product.del("/engines/double-forks-listener")).status, 200);
  t.same(await settle(site, tally), {});
});

t.test("an unidentified process keeps its port unless its cgroup proves that it is ours", async (t) => {
  tally.tried++;
  const user = "double-forks-listener.nameless";
  const { body } = await product.post("/engines/provision", { user_id: user });
  const [squatter = 0] = childrenOf(t, body.id);
  await site.daemon.stop("SIGKILL");
  process.kill(body.pid, "SIGKILL");
  await site.restart();
  const again = await until(
    "it runs again",
    async () => {
      const now = await product.get(`/engines/${user}`);
      return now.body.state === "running" && now.body.pid !== body.pid && now.body;
    },
    20_000,
  );
  t.equal(again.port !== body.port, isAlive(squatter), "it lives and keeps the port, or it is ended and gives it back");
  t.equal((await product.del(`/engines/${user}`)).status, 200);
  t.same(await settle(site, tally), {});
});
