import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { CgroupBase } from "../../../src/orchestrator/fleet/cgroup-base.ts";
import type { LaunchOrder } from "../../../src/orchestrator/fleet/engine-backend.ts";
import { EngineCgroup } from "../../../src/orchestrator/fleet/engine-cgroup.ts";
import { EngineCgroups } from "../../../src/orchestrator/fleet/engine-cgroups.ts";
import { createProcessBackend } from "../../../src/orchestrator/fleet/process-backend.ts";
import { readStat } from "../../../src/orchestrator/fleet/process-identity.ts";
import { type TestFleet, daemonThatDies, healthy, silent, testFleet } from "../../helpers/fleet.ts";
import { temporaryFolder } from "../../helpers/run.ts";

/** The kernel's cgroup file system, mounted for this test. */
const mount = temporaryFolder("cgroup");
const mounted = spawnSync("mount", ["-t", "cgroup2", "none", mount], { encoding: "utf8" });
t.teardown(() => {
  if (mounted.status === 0) spawnSync("umount", [mount]);
  rmdirSync(mount);
});
const skip = mounted.status === 0 ? false : "needs root and a kernel with cgroup v2 to mount one";

let tests = 0;
function base(t: Test): CgroupBase {
  const path = join(mount, `orchd-test-${process.pid}-${++tests}`);
  mkdirSync(path);
  t.teardown(() => rmdirSync(path));
  return { path, canLimitMemory: false };
}

const cgroupsIn = ({ path }: CgroupBase): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => name);

async function launched(fleet: TestFleet) {
  const order = await fleet.order();
  const engine = await fleet.backend.launch(order);
  t.match(await healthy(order, engine), { kind: "healthy" });
  return { order, engine, escaped: escapedOf(order) };
}

function escapedOf({ launch }: LaunchOrder): number {
  const [pid] = JSON.parse(readFileSync(join(launch.data_dir, "children.json"), "utf8"));
  t.ok(readStat(pid) !== null, "the escaped child lives");
  return pid;
}

t.test("a detached child is killed with a stopped engine, and the cgroup is removed", { skip }, async (t) => {
  const cgroupBase = base(t);
  const { order, engine, escaped } = await launched(testFleet(t, "escapes", { cgroupBase }));
  const [name = ""] = cgroupsIn(cgroupBase);
  t.match(name, new RegExp(`^engine-[0-9a-f]{8}-${order.launch.incarnation}$`));
  const members = readFileSync(join(cgroupBase.path, name, "cgroup.procs"), "utf8");
  t.same(new Set(members.trim().split("\n").map(Number)), new Set([engine.handle.pid, escaped]));
  t.same(await engine.stop(500), { kind: "killed" });
  t.equal(readStat(escaped), null);
  t.same(cgroupsIn(cgroupBase), []);
  t.same(await engine.stop(0), { kind: "killed" }, "a late stop tells how it ended");
});

t.test("a crashed engine's detached child is killed before the next launch", { skip }, async (t) => {
  const cgroupBase = base(t);
  const fleet = testFleet(t, "escapes", { cgroupBase });
  const { order, engine, escaped } = await launched(fleet);
  process.kill(engine.handle.pid, "SIGKILL");
  await engine.exited;
  const second = { ...order, launch: { ...order.launch, incarnation: "second" } };
  const next = await fleet.backend.launch(second);
  t.equal(readStat(escaped), null);
  t.equal(cgroupsIn(cgroupBase).length, 1, "only the second life's");
  t.match(await healthy(second, next), { kind: "healthy" });
  t.same(await next.stop(0), { kind: "killed" });
  t.same(cgroupsIn(cgroupBase), []);
});

t.test("a later daemon finds an adopted engine's cgroup and its members", { skip }, async (t) => {
  const cgroupBase = base(t);
  const fleet = testFleet(t, "escapes", { cgroupBase });
  const order = await fleet.order();
  const { daemon, handle } = await daemonThatDies(fleet, order);
  daemon.kill("SIGKILL");
  await once(daemon, "exit");
  const escaped = escapedOf(order);
  const backend = createProcessBackend({ ...fleet.settings, logger: silent });
  t.equal(cgroupsIn(cgroupBase).length, 1, "a new daemon removes none that is in use");
  const engine = backend.attach(handle, order.launch.incarnation);
  t.same(await engine?.stop(500), { kind: "killed" });
  t.equal(readStat(escaped), null);
  t.same(cgroupsIn(cgroupBase), []);
});

t.test(
  "a detached child that outlives engine and daemon is listed, and killed by its incarnation",
  { skip },
  async (t) => {
    const cgroupBase = base(t);
    const fleet = testFleet(t, "escapes", { cgroupBase });
    const order = await fleet.order();
    const { incarnation } = order.launch;
    const { daemon, handle } = await daemonThatDies(fleet, order);
    daemon.kill("SIGKILL");
    await once(daemon, "exit");
    const escaped = escapedOf(order);
    process.kill(handle.pid, "SIGKILL");
    const backend = createProcessBackend({ ...fleet.settings, logger: silent });
    const found = backend.orphans(new Set());
    t.match(found, [{ incarnation }]);
    t.ok(found[0]?.pids.includes(escaped));
    t.same(backend.orphans(new Set([incarnation])), []);
    t.same(await backend.endOrphans(incarnation), { kind: "killed" });
    t.equal(readStat(escaped), null);
    t.same(cgroupsIn(cgroupBase), []);
  },
);

t.test("a new daemon removes only its own empty cgroups", { skip }, async (t) => {
  const cgroupBase = base(t);
  const fleet = testFleet(t, "well-behaved", { cgroupBase });
  const { order, engine } = await launchedPlain(fleet);
  const [name = ""] = cgroupsIn(cgroupBase);
  const old = join(cgroupBase.path, name.replace(order.launch.incarnation, "long-gone"));
  const foreign = join(cgroupBase.path, "engine-00000000-of-another-daemon");
  for (const folder of [old, join(old, "inner"), foreign]) mkdirSync(folder);
  createProcessBackend({ ...fleet.settings, logger: silent });
  t.notOk(existsSync(old));
  t.ok(existsSync(foreign));
  rmdirSync(foreign);
  await engine.stop(5000);
  t.same(cgroupsIn(cgroupBase), []);
});

t.test("an engine runs and stops where no cgroup can be created", async (t) => {
  // Not the kernel's file system: there is no `cgroup.procs` to write to.
  const cgroupBase = { path: t.testdir({}), canLimitMemory: false };
  const { engine } = await launchedPlain(testFleet(t, "well-behaved", { cgroupBase }));
  t.same(cgroupsIn(cgroupBase), []);
  t.same(await engine.stop(5000), { kind: "exited" });
});

t.test("memory is limited where the controller is available and only engines are members", async (t) => {
  // Plain files replace the kernel's: few machines delegate the memory controller to a test.
  const path = t.testdir({
    "cgroup.controllers": "cpu memory pids\n",
    "cgroup.subtree_control": "",
    engine: { "memory.max": "max", "memory.high": "max" },
    without: {},
  });
  const read = (name: string) => readFileSync(join(path, name), "utf8");
  new EngineCgroups({ path, canLimitMemory: false }, { runDir: "/run", logger: silent }).prepare();
  t.equal(read("cgroup.subtree_control"), "", "not where the daemon lives itself");
  new EngineCgroups({ path, canLimitMemory: true }, { runDir: "/run", logger: silent }).prepare();
  t.equal(read("cgroup.subtree_control"), "+memory");
  new EngineCgroup(join(path, "engine")).limitMemory(100);
  t.same([read("engine/memory.max"), read("engine/memory.high")], ["104857600", "94371840"]);
  new EngineCgroup(join(path, "without")).limitMemory(100);
  t.same(readdirSync(join(path, "without")), []);
});

async function launchedPlain(fleet: TestFleet) {
  const order = await fleet.order();
  const engine = await fleet.backend.launch(order);
  t.match(await healthy(order, engine), { kind: "healthy" });
  return { order, engine };
}
