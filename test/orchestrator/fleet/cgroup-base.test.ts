import t from "tap";
import { cgroupBase } from "../../../src/orchestrator/fleet/cgroup-base.ts";

const unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

t.test("a service uses its own cgroup without limits, since it is a member", async (t) => {
  const base = cgroupBase("0::/system.slice/orchd.service\n", unified);
  t.same(base, { path: "/sys/fs/cgroup/system.slice/orchd.service", canLimitMemory: false });
});

t.test("a service in a delegated leaf uses the parent with limits", async (t) => {
  const base = cgroupBase("0::/system.slice/orchd.service/supervisor\n", unified);
  t.same(base, { path: "/sys/fs/cgroup/system.slice/orchd.service", canLimitMemory: true });
});

t.test("the mount of version 2 is found in a hybrid hierarchy, whatever its name", async (t) => {
  const mounts = `32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n41 31 0:38 / /mnt/a\\040b rw - cgroup2 none rw\n`;
  t.same(cgroupBase("4:memory:/x\n0::/\n", mounts), { path: "/mnt/a b", canLimitMemory: false });
});

t.test("a mount of a subtree only contains cgroups of that subtree", async (t) => {
  const part = "30 23 0:26 /docker/one /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  t.equal(cgroupBase("0::/docker/one/engine\n", part)?.path, "/sys/fs/cgroup/engine");
  t.equal(cgroupBase("0::/docker/one\n", part)?.path, "/sys/fs/cgroup");
  t.equal(cgroupBase("0::/docker/oneself\n", part), null);
});

t.test("without version 2, its mount or inside the namespace there is no base", async (t) => {
  t.equal(cgroupBase("4:memory:/x\n", unified), null);
  t.equal(cgroupBase("0::/\n", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"), null);
  t.equal(cgroupBase("0::/../elsewhere\n", unified), null);
});
