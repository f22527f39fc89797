import t from "tap";
import { cgroupHierarchies as hierarchiesOf } from "../../../src/sandbox/cgroups/cgroup-hierarchies.ts";

const unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const pids = "31 23 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";
const cpu = "32 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
const memory = "33 23 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
const all = ["pids", "memory", "cpu"];
const cgroupHierarchies = (cgroups: string, mounts: string, units: readonly string[] = []) =>
  hierarchiesOf(cgroups, mounts, {
    leaf: "supervisor",
    unit: "orchd-engines.service",
    mayMove: (path) => units.includes(path),
  });

t.test("a service uses its own cgroup without limits, since it is a member", async (t) => {
  const found = cgroupHierarchies("0::/system.slice/orchd.service\n", unified);
  t.same(found, [{ version: 2, path: "/sys/fs/cgroup/system.slice/orchd.service", controllers: [] }]);
});

t.test("a service in a delegated leaf uses the parent with limits", async (t) => {
  const found = cgroupHierarchies("0::/system.slice/orchd.service/supervisor\n", unified);
  t.same(found, [{ version: 2, path: "/sys/fs/cgroup/system.slice/orchd.service", controllers: all }]);
});

t.test("a service uses the cgroup of the unit for engines beside its own, with limits", async (t) => {
  const path = "/sys/fs/cgroup/system.slice/orchd-engines.service";
  for (const unit of ["orchd", "orchd-stop-engines"]) {
    const found = cgroupHierarchies(`0::/system.slice/${unit}.service\n`, unified, [path]);
    t.same(found, [{ version: 2, path, controllers: all }]);
  }
});

t.test("the controllers of version 1 are hierarchies of their own, beside version 2", async (t) => {
  const found = cgroupHierarchies(
    "8:pids:/a\n4:memory:/b/c\n3:cpuset:/\n2:cpu,cpuacct:/\n0::/\n",
    [pids + memory + cpu, "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n"].join(""),
  );
  t.same(found, [
    { version: 2, path: "/sys/fs/cgroup/unified", controllers: [] },
    { version: 1, path: "/sys/fs/cgroup/pids/a", controllers: ["pids"] },
    { version: 1, path: "/sys/fs/cgroup/memory/b/c", controllers: ["memory"] },
    { version: 1, path: "/sys/fs/cgroup/cpu,cpuacct", controllers: ["cpu"] },
  ]);
});

t.test("a mount with blanks in its path is found", async (t) => {
  const mounts = `${cpu}41 31 0:38 / /mnt/a\\040b rw - cgroup2 none rw\n`;
  t.same(cgroupHierarchies("0::/\n", mounts), [{ version: 2, path: "/mnt/a b", controllers: [] }]);
});

t.test("a mount of a subtree only contains cgroups of that subtree", async (t) => {
  const part = "30 23 0:26 /docker/one /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  t.equal(cgroupHierarchies("0::/docker/one/engine\n", part)[0]?.path, "/sys/fs/cgroup/engine");
  t.equal(cgroupHierarchies("0::/docker/one\n", part)[0]?.path, "/sys/fs/cgroup");
  t.same(cgroupHierarchies("0::/docker/oneself\n", part), []);
});

t.test("hierarchies that are not mounted, or outside the namespace, are skipped", async (t) => {
  t.same(cgroupHierarchies("4:memory:/x\n", unified), []);
  t.same(cgroupHierarchies("0::/\n", cpu), []);
  t.same(cgroupHierarchies("0::/../elsewhere\n8:pids:/../elsewhere\n", unified + pids), []);
});
