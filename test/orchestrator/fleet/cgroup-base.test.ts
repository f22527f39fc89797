import t from "tap";
import { cgroupBase } from "../../../src/orchestrator/fleet/cgroup-base.ts";

const unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

t.test("a service divides its own cgroup, without limits, since it lives there itself", async (t) => {
  const base = cgroupBase("0::/system.slice/orchd.service\n", unified);
  t.same(base, { path: "/sys/fs/cgroup/system.slice/orchd.service", canLimitMemory: false });
});

t.test("a service in the leaf it was given divides the parent, and may limit what lies there", async (t) => {
  const base = cgroupBase("0::/system.slice/orchd.service/supervisor\n", unified);
  t.same(base, { path: "/sys/fs/cgroup/system.slice/orchd.service", canLimitMemory: true });
});

t.test("beside version 1 the mount of version 2 is found, whatever its name", async (t) => {
  const mounts = `32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n41 31 0:38 / /mnt/a\\040b rw - cgroup2 none rw\n`;
  t.same(cgroupBase("4:memory:/x\n0::/\n", mounts), { path: "/mnt/a b", canLimitMemory: false });
});

t.test("of a mount that shows a part of the tree only what lies in that part is found", async (t) => {
  const part = "30 23 0:26 /docker/one /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  t.equal(cgroupBase("0::/docker/one/engine\n", part)?.path, "/sys/fs/cgroup/engine");
  t.equal(cgroupBase("0::/docker/one\n", part)?.path, "/sys/fs/cgroup");
  t.equal(cgroupBase("0::/docker/oneself\n", part), null);
});

t.test("without version 2, without its mount or outside the namespace there is nothing to divide", async (t) => {
  t.equal(cgroupBase("4:memory:/x\n", unified), null);
  t.equal(cgroupBase("0::/\n", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"), null);
  t.equal(cgroupBase("0::/../elsewhere\n", unified), null);
});
