import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { CgroupHierarchy } from "../../../../src/sandbox/cgroups/cgroup-hierarchies.ts";
import type { ProcessOrder } from "../../../../src/orchestrator/fleet/process/process-order.ts";
import { adoptedLimits, engineLimits, toolLimits } from "../../../../src/orchestrator/fleet/process/engine-limits.ts";
import { DelegatedCgroup } from "../../../../src/sandbox/cgroups/delegated-cgroup.ts";
import { EngineCgroups } from "../../../../src/orchestrator/fleet/process/engine-cgroups.ts";
import { createProcessBackend } from "../../../../src/orchestrator/fleet/process/process-backend.ts";
import { readStat } from "../../../../src/sandbox/processes.ts";
import {
  attached,
  type TestFleet,
  daemonThatDies,
  healthy,
  incarnationOf,
  silent,
  testFleet,
  pidOf,
} from "../../../helpers/fleet.ts";
import { limitFiles, readLimits } from "../../../../src/sandbox/cgroups/cgroup-limits.ts";
import { temporaryFolder } from "../../../helpers/run.ts";

/** The kernel's cgroup file system, mounted for this test. */
const mount = temporaryFolder("cgroup");
const mounted = spawnSync("mount", ["-t", "cgroup2", "none", mount], { encoding: "utf8" });
t.teardown(() => {
  if (mounted.status === 0) spawnSync("umount", [mount]);
  rmdirSync(mount);
});
const skip = mounted.status === 0 ? false : "needs root and a kernel with cgroup v2 to mount one";

const FEW = { maxProcesses: 10, memoryMb: 64, cpuWeight: 100 };
const LIMITS = { all: engineLimits(FEW), nested: toolLimits(FEW) };

let tests = 0;
function base(t: Test): CgroupHierarchy {
  const path = join(mount, `orchd-test-${process.pid}-${++tests}`);
  mkdirSync(path);
  t.teardown(() => rmdirSync(path));
  return { version: 2, path, controllers: [] };
}

const cgroupsIn = ({ path }: CgroupHierarchy): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => name);

async function launched(fleet: TestFleet) {
  const order = await fleet.order();
  const engine = await fleet.backend.launch(order);
  t.match(await healthy(order, engine), { kind: "healthy" });
  return { order, engine, escaped: escapedOf(order) };
}

function escapedOf({ launch }: ProcessOrder): number {
  const [pid] = JSON.parse(readFileSync(join(launch.data_dir, "children.json"), "utf8"));
  t.ok(readStat(pid) !== null, "the escaped child lives");
  return pid;
}

t.test("a detached child is killed with a stopped engine, and the cgroup is removed", { skip }, async (t) => {
  const hierarchy = base(t);
  const { order, engine, escaped } = await launched(testFleet(t, "escapes", { cgroupHierarchies: [hierarchy] }));
  const [name = ""] = cgroupsIn(hierarchy);
  t.match(name, new RegExp(`^engine-[0-9a-f]{8}-${order.launch.incarnation}$`));
  const members = readFileSync(join(hierarchy.path, name, "cgroup.procs"), "utf8");
  t.same(new Set(members.trim().split("\n").map(Number)), new Set([pidOf(engine), escaped]));
  t.same(await engine.stop(500), { kind: "killed" });
  t.equal(readStat(escaped), null);
  t.same(cgroupsIn(hierarchy), []);
  t.same(await engine.stop(0), { kind: "killed" }, "a late stop tells how it ended");
});

t.test("a crashed engine's detached child is killed before the next launch", { skip }, async (t) => {
  const hierarchy = base(t);
  const fleet = testFleet(t, "escapes", { cgroupHierarchies: [hierarchy] });
  const { order, engine, escaped } = await launched(fleet);
  process.kill(pidOf(engine), "SIGKILL");
  await engine.exited;
  const second = { ...order, launch: { ...order.launch, incarnation: "second" } };
  const next = await fleet.backend.launch(second);
  t.equal(readStat(escaped), null);
  t.equal(cgroupsIn(hierarchy).length, 1, "only the second life's");
  t.match(await healthy(second, next), { kind: "healthy" });
  t.same(await next.stop(0), { kind: "killed" });
  t.same(cgroupsIn(hierarchy), []);
});

t.test("a later daemon finds an adopted engine's cgroup and its members", { skip }, async (t) => {
  const hierarchy = base(t);
  const fleet = testFleet(t, "escapes", { cgroupHierarchies: [hierarchy] });
  const order = await fleet.order();
  const { daemon, handle } = await daemonThatDies(fleet, order);
  daemon.kill("SIGKILL");
  await once(daemon, "exit");
  const escaped = escapedOf(order);
  const backend = createProcessBackend({ ...fleet.settings, logger: silent });
  const [name = "", ...others] = cgroupsIn(hierarchy);
  t.same(others, []);
  t.ok(existsSync(join(hierarchy.path, name, "tools")), "a new daemon removes none that is in use, nor an empty part");
  const engine = await attached(backend, order, handle);
  t.same(await engine?.stop(500), { kind: "killed" });
  t.equal(readStat(escaped), null);
  t.same(cgroupsIn(hierarchy), []);
});

t.test(
  "a detached child that outlives engine and daemon is listed, and killed by its incarnation",
  { skip },
  async (t) => {
    const hierarchy = base(t);
    const fleet = testFleet(t, "escapes", { cgroupHierarchies: [hierarchy] });
    const order = await fleet.order();
    const { incarnation } = order.launch;
    const { daemon, handle } = await daemonThatDies(fleet, order);
    daemon.kill("SIGKILL");
    await once(daemon, "exit");
    const escaped = escapedOf(order);
    process.kill(pidOf({ handle }), "SIGKILL");
    const backend = createProcessBackend({ ...fleet.settings, logger: silent });
    const found = await backend.listOrphans([]);
    t.match(found, [{ incarnation }]);
    t.ok(found[0]?.pids.includes(escaped));
    t.same(await backend.listOrphans([{ id: incarnation, uid: null }]), []);
    t.same(await backend.endOrphans(incarnationOf(order)), { kind: "killed" });
    t.equal(readStat(escaped), null);
    t.same(cgroupsIn(hierarchy), []);
  },
);

t.test("a new daemon removes only its own empty cgroups", { skip }, async (t) => {
  const hierarchy = base(t);
  const fleet = testFleet(t, "well-behaved", { cgroupHierarchies: [hierarchy] });
  const { order, engine } = await launchedPlain(fleet);
  const [name = ""] = cgroupsIn(hierarchy);
  const old = join(hierarchy.path, name.replace(order.launch.incarnation, "long-gone"));
  const foreign = join(hierarchy.path, "engine-00000000-of-another-daemon");
  for (const folder of [old, join(old, "inner"), foreign]) mkdirSync(folder);
  createProcessBackend({ ...fleet.settings, logger: silent });
  t.notOk(existsSync(old));
  t.ok(existsSync(foreign));
  rmdirSync(foreign);
  await engine.stop(5000);
  t.same(cgroupsIn(hierarchy), []);
});

t.test("an engine's user reaches the cgroup of its tools, whatever the daemon's umask", { skip }, async (t) => {
  const hierarchy = base(t);
  const before = process.umask(0o077);
  t.teardown(() => process.umask(before));
  const cgroup = new DelegatedCgroup([hierarchy], { name: "engine-of-a-user", nested: "tools" });
  t.teardown(() => cgroup.remove());
  cgroup.create(LIMITS, { uid: 65_534, gid: 65_534 });
  const [tools = ""] = cgroup.nestedFolders();
  const made = spawnSync("mkdir", [join(tools, "call")], { uid: 65_534, gid: 65_534, encoding: "utf8" });
  t.equal(made.stderr, "");
});

t.test("a daemon that adopts an engine creates the cgroup of its tools again", { skip }, async (t) => {
  const hierarchy = base(t);
  const cgroup = new DelegatedCgroup([hierarchy], { name: "engine-adopted", nested: "tools" });
  t.teardown(() => cgroup.remove());
  cgroup.create(LIMITS, null);
  const [tools = ""] = cgroup.nestedFolders();
  rmdirSync(tools);
  cgroup.restoreNested((all) => toolLimits(adoptedLimits(all)), { uid: 65_534, gid: 65_534 });
  t.equal(statSync(tools).uid, 65_534);
});

t.test("the limits of tools are known from those of their engine", async (t) => {
  const limits = { maxProcesses: 256, memoryMb: 1024, cpuWeight: 100 };
  for (const version of [1, 2] as const) {
    const files = limitFiles(engineLimits(limits), version);
    const folder = { read: (file: string) => (file in files ? `${files[file]}\n` : null) };
    t.same(adoptedLimits(readLimits(folder, version)), { ...limits, cpuWeight: 0 });
  }
  const unlimited = adoptedLimits(readLimits({ read: () => "max\n" }, 2));
  t.same(
    limitFiles(toolLimits(unlimited), 2),
    limitFiles(toolLimits({ maxProcesses: 0, memoryMb: 0, cpuWeight: 0 }), 2),
  );
});

t.test("an engine runs and stops where no cgroup can be created", async (t) => {
  // Not the kernel's file system: there is no `cgroup.procs` to write to.
  const hierarchy = { version: 2, path: t.testdir({}), controllers: [] } as const;
  const { engine } = await launchedPlain(testFleet(t, "well-behaved", { cgroupHierarchies: [hierarchy] }));
  t.same(cgroupsIn(hierarchy), []);
  t.same(await engine.stop(5000), { kind: "exited" });
});

t.test("controllers are enabled where they are delegated", async (t) => {
  // Plain files replace the kernel's: few machines delegate controllers to a test.
  const path = t.testdir({ "cgroup.subtree_control": "cpu" });
  const read = () => readFileSync(join(path, "cgroup.subtree_control"), "utf8");
  const prepare = (controllers: CgroupHierarchy["controllers"]) =>
    new EngineCgroups([{ version: 2, path, controllers }], { runDir: "/run", logger: silent }).prepare();
  prepare([]);
  t.equal(read(), "cpu", "not where the daemon lives itself");
  prepare(["cpu", "pids"]);
  t.equal(read(), "+pids");
});

t.test("the limits of tools are below those of their engine, in files of the version", async (t) => {
  const limits = { maxProcesses: 256, memoryMb: 100, cpuWeight: 200 };
  t.same(limitFiles(engineLimits(limits), 2), { "pids.max": 320, "memory.max": 104_857_600, "cpu.weight": 200 });
  t.same(limitFiles(engineLimits(limits), 1), {
    "pids.max": 320,
    "memory.limit_in_bytes": 104_857_600,
    "cpu.shares": 2048,
  });
  const tools = 78_643_200;
  t.match(limitFiles(toolLimits(limits), 2), { "pids.max": 256, "memory.max": tools, "memory.swap.max": 0 });
  t.match(limitFiles(toolLimits(limits), 1), { "memory.limit_in_bytes": tools, "memory.memsw.limit_in_bytes": tools });
  t.same(limitFiles(engineLimits({ maxProcesses: 0, memoryMb: 0, cpuWeight: 0 }), 2), {}, "zero is no limit");
});

async function launchedPlain(fleet: TestFleet) {
  const order = await fleet.order();
  const engine = await fleet.backend.launch(order);
  t.match(await healthy(order, engine), { kind: "healthy" });
  return { order, engine };
}
