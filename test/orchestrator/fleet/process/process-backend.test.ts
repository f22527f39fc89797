import { existsSync, readdirSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { decodeLaunch } from "../../../../src/contract/engine/launch.ts";
import type { CgroupHierarchy } from "../../../../src/sandbox/cgroups/cgroup-hierarchies.ts";
import { LaunchFailed, PortTaken } from "../../../../src/orchestrator/fleet/launch-failed.ts";
import { prepareEngineFolder } from "../../../../src/orchestrator/fleet/folders/engine-folder.ts";
import { logTail } from "../../../../src/orchestrator/fleet/logs/engine-log.ts";
import { listen } from "../../../../src/shared/http/http-server.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { HOST, fixture, healthy, readText, testFleet, pidOf } from "../../../helpers/fleet.ts";
import { boundedHierarchies } from "../../../helpers/limits.ts";

t.test(
  "an engine is born in a session of its own, with its secrets in a file that only its user can read",
  async (t) => {
    const { backend, order, settings } = testFleet(t, "well-behaved");
    const given = await order();
    const engine = await backend.launch(given);
    const file = join(settings.runDir, `launch-${given.launch.incarnation}.json`);
    t.equal(statSync(file).mode & 0o777, 0o400);
    t.equal(statSync(given.launch.data_dir).mode & 0o777, 0o700);
    t.match(await healthy(given, engine), { kind: "healthy", version: "1.2.3" });
    await engine.settle();
    t.notOk(existsSync(file), "the file is gone once it was read");
    const pid = pidOf(engine);
    const [, , group, session] = readText(`/proc/${pid}/stat`)
      .replace(/^.*\) /, "")
      .split(" ");
    t.same([group, session], [String(pid), String(pid)]);
    const visible = readText(`/proc/${pid}/environ`) + readText(`/proc/${pid}/cmdline`);
    for (const secret of ["control-token", "provider-key"]) t.notMatch(visible, secret);
    t.match(readText(`/proc/${pid}/cmdline`), "--max-old-space-size=192\0");
    t.equal(readlinkSync(`/proc/${pid}/fd/0`), "/dev/null");
    t.equal(readlinkSync(`/proc/${pid}/fd/2`), join(given.launch.data_dir, "engine.log"));
    t.same(await logTail(given.launch.data_dir, 5), ["ready"]);
    t.same(await engine.stop(5000), { kind: "exited" });
    t.same(await engine.exited, { code: null, signal: "SIGTERM", oom: false });
  },
);

t.test("the OOM killer prefers an engine and its children over a protected daemon", async (t) => {
  const { backend, order } = testFleet(t, "forks-children");
  const given = await order();
  const engine = await backend.launch(given);
  await healthy(given, engine);
  const children: number[] = JSON.parse(readText(join(given.launch.data_dir, "children.json")));
  const scoreOf = (pid: number) => Number(readText(`/proc/${pid}/oom_score_adj`));
  for (const pid of [pidOf(engine), ...children]) t.equal(scoreOf(pid), 200);
  t.ok(scoreOf(process.pid) < 200);
  await engine.stop(100);
});

const skip = process.getuid?.() === 0 ? false : "only root may start a process as another user";
t.test("the launch file limits the processes of a user of its own, where no cgroup does", { skip }, async (t) => {
  const tasksOf = async (uid: number | null, cgroupHierarchies: readonly CgroupHierarchy[]) => {
    const { backend, order, settings } = testFleet(t, "well-behaved", { cgroupHierarchies });
    const given = { ...(await order()), uid };
    const engine = await backend.launch(given);
    const file = join(settings.runDir, `launch-${given.launch.incarnation}.json`);
    const { user_tasks: tasks } = decodeLaunch(readText(file));
    await engine.stop(0);
    return tasks;
  };
  const uid = 1_999_000_103;
  t.equal(await tasksOf(uid, []), 256 + 64);
  t.equal(await tasksOf(null, []), undefined, "others share the daemon's user");
  const hierarchies = boundedHierarchies();
  if (hierarchies !== null) t.equal(await tasksOf(uid, hierarchies), undefined);
});

t.test("an engine that exits at once reports its exit code, and its launch file is removed", async (t) => {
  const { backend, order, settings } = testFleet(t, "exits-at-once");
  const given = await order();
  const engine = await backend.launch(given);
  t.same(await healthy(given, engine), { kind: "exited", exit: { code: 78, signal: null, oom: false } });
  t.same(await engine.stop(1000), { kind: "exited" }, "stopping what has ended is no error");
  t.same(readdirSync(settings.runDir), []);
  t.same(await logTail(given.launch.data_dir, 5), ["LLM_PROVIDER is not one of ours"]);
});

t.test("a missing Node.js is LaunchFailed with everything cleaned up", async (t) => {
  const { backend, order, folder, settings } = testFleet(t, "well-behaved", { nodePath: "/nowhere/node" });
  const given = await order();
  const error = await backend.launch(given).catch((error: unknown) => error);
  if (!(error instanceof LaunchFailed)) throw new Error("it was started");
  t.equal(error.message, "failed to start the engine's process: a file or folder does not exist");
  t.match(error.cause, { message: /nowhere/ }, "the path is for the log");
  t.same(readdirSync(settings.runDir), []);
  t.notOk(existsSync(join(folder, "engines")));
});

t.test("a Node.js without execute permission is LaunchFailed", async (t) => {
  const { backend, order } = testFleet(t, "well-behaved", { nodePath: fixture("engines/well-behaved.cjs") });
  const error = await backend.launch(await order()).catch((error: unknown) => error);
  t.ok(error instanceof LaunchFailed);
  t.match(error, { message: /: permission denied$/ });
});

t.test("a folder that cannot be created is LaunchFailed", async (t) => {
  const file = join(freshFolder(t, "file"), "a-file");
  writeFileSync(file, "");
  const { backend, order, settings } = testFleet(t, "well-behaved", { dataDir: file });
  const given = await order();
  const error = await backend.launch(given).catch((error: unknown) => error);
  t.ok(error instanceof LaunchFailed);
  t.match(error, { message: /: a file is where a folder should be$/ });
  const prepared = await prepareEngineFolder(join(file, "engine"), join(file, "kept")).catch((error: unknown) => error);
  t.match(prepared, { name: "LaunchFailed", message: /: something is where a new file should be$/ });
  t.notOk(existsSync(join(settings.runDir, `launch-${given.launch.incarnation}.json`)));
});

t.test("a used port is detected before the launch", async (t) => {
  const { backend, order } = testFleet(t, "well-behaved");
  const given = await order();
  const thief = await listen(() => undefined, HOST, given.launch.port);
  t.teardown(() => thief.close(0));
  t.ok((await backend.launch(given).catch((error: unknown) => error)) instanceof PortTaken);
  t.notOk(existsSync(given.launch.data_dir));
});

t.test("the next incarnation keeps the folder and the log", async (t) => {
  const { backend, order } = testFleet(t, "well-behaved");
  const first = await order();
  const engine = await backend.launch(first);
  await healthy(first, engine);
  process.kill(pidOf(engine), "SIGKILL");
  t.same(await engine.exited, { code: null, signal: "SIGKILL", oom: false });
  const second = { ...first, launch: { ...first.launch, incarnation: "second" } };
  const next = await backend.launch(second);
  t.match(await healthy(second, next), { kind: "healthy" });
  t.same(await logTail(first.launch.data_dir, 5), ["ready", "ready"]);
  await next.stop(5000);
});
