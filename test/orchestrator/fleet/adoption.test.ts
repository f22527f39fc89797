import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { logTail } from "../../../src/orchestrator/fleet/logs/engine-log.ts";
import { probeOnce } from "../../../src/orchestrator/engine-calls/health-probe.ts";
import { launchFilePath } from "../../../src/orchestrator/fleet/process/launch-file.ts";
import {
  attached,
  daemonThatDies,
  healthy,
  incarnationOf,
  readText,
  testFleet,
  urlOf,
  pidOf,
} from "../../helpers/fleet.ts";
import { until } from "../../helpers/until.ts";

const GONE = { kind: "gone", cause: "exit" };

t.test("an engine outlives its daemon, is adopted by the next, and its exit is detected", async (t) => {
  const fleet = testFleet(t, "well-behaved");
  const order = await fleet.order();
  const { engine_id: engineId, incarnation, data_dir: folder } = order.launch;
  const { daemon, handle } = await daemonThatDies(fleet, order);
  const names = readText(`/proc/${pidOf({ handle })}/environ`)
    .split("\0")
    .map((line) => line.split("=")[0]);
  t.strictSame(new Set(names.filter(Boolean)), new Set(["ORCH_LAUNCH_FILE", "PATH"]));
  daemon.kill("SIGKILL");
  await once(daemon, "exit");
  t.match(await probeOnce(urlOf(order), { engineId, incarnation, timeoutMs: 5000 }), { kind: "ok" });

  const engine = await attached(fleet.backend, order, handle);
  t.ok(existsSync(launchFilePath(fleet.settings.runDir, incarnation)), "the dead daemon left the launch file");
  await engine.settle();
  t.notOk(existsSync(launchFilePath(fleet.settings.runDir, incarnation)));
  t.same(await logTail(folder, 1), ["ready"]);
  process.kill(pidOf({ handle }), "SIGKILL");
  const killedAt = performance.now();
  t.same(await engine.exited, { code: null, signal: null, oom: false });
  t.comment(`noticed after ${Math.round(performance.now() - killedAt)} ms`);
  t.same(await fleet.backend.attach(incarnationOf(order), handle), GONE, "a process that is gone is not adopted");
});

t.test("an adopted engine is stopped like a child process, and its exit is reported first", async (t) => {
  const fleet = testFleet(t, "well-behaved");
  const order = await fleet.order();
  const { daemon, handle } = await daemonThatDies(fleet, order);
  daemon.kill("SIGKILL");
  const engine = await attached(fleet.backend, order, handle);
  let hasExited = false;
  void engine.exited.then(() => (hasExited = true));
  t.same(await engine.stop(5000), { kind: "exited" });
  t.ok(hasExited);
});

t.test("a pid of another process or another boot is not adopted and not signalled", async (t) => {
  const { backend, order } = testFleet(t, "well-behaved");
  const given = await order();
  const engine = await backend.launch(given);
  await healthy(given, engine);
  const incarnation = incarnationOf(given);
  const another = { ...incarnation, id: "another-life" };
  const { handle } = engine;
  const later = String(Number(handle["startTime"]) + 1);
  t.same(await backend.attach(incarnation, { ...handle, startTime: later }), GONE);
  const rebooted = { ...handle, bootId: "00000000-0000-0000-0000-000000000000" };
  t.same(await backend.attach(incarnation, rebooted), { kind: "gone", cause: "host" });
  t.same(await backend.attach(incarnation, { ...handle, pid: process.pid }), GONE);
  t.same(await backend.attach(another, handle), GONE, "the launch file it was born with is another's");
  t.match(await backend.attach(incarnation, { ...handle, backend: "docker" }), { kind: "unknown" });
  t.match(
    await backend.attach(incarnation, { ...handle, version: 2 }),
    { kind: "unknown" },
    "the handle of a newer daemon is unknown",
  );
  t.same(await backend.endOrphans(another), { kind: "exited" });
  t.match(await healthy(given, engine), { kind: "healthy" }, "it still runs");
  await engine.stop(5000);
});

t.test("processes of an unknown incarnation are listed by run folder and not signalled", async (t) => {
  const { backend, order } = testFleet(t, "forks-children");
  const [given, other] = [await order(), testFleet(t, "well-behaved")];
  const engine = await backend.launch(given);
  await healthy(given, engine);
  const { incarnation } = given.launch;
  const children: number[] = JSON.parse(readText(join(given.launch.data_dir, "children.json")));
  const found = await backend.listOrphans([{ id: "another-life", uid: null }]);
  t.match(found, [{ incarnation }]);
  t.same(new Set(found[0]?.pids), new Set([pidOf(engine), ...children]));
  t.same(await backend.listOrphans([{ id: incarnation, uid: null }]), [], "a known incarnation is not an orphan");
  t.same(await other.backend.listOrphans([]), [], "a process of another run folder is not an orphan");
  t.match(await healthy(given, engine), { kind: "healthy" }, "nobody was signalled");
  await backend.endOrphans(incarnationOf(given));
  t.same(await backend.listOrphans([]), []);
});

t.test("orphaned processes of an incarnation are killed by the incarnation alone", async (t) => {
  const { backend, order } = testFleet(t, "well-behaved");
  const given = await order();
  const engine = await backend.launch(given);
  t.match(await healthy(given, engine), { kind: "healthy" });
  t.same(await backend.endOrphans(incarnationOf(given)), { kind: "killed" });
  t.same(await engine.exited, { code: null, signal: "SIGKILL", oom: false });
  const path = join(given.launch.data_dir, "..", "..", "run", `launch-${given.launch.incarnation}.json`);
  await until("the launch file is gone", () => !existsSync(path));
});
