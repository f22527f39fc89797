import { readFileSync } from "node:fs";
import t from "tap";
import { hastenMoves, ownCgroup } from "../../../src/sandbox/cgroups/hasten-moves.ts";

const V2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw";
const V1 = "35 24 0:30 /docker/abc /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory";

t.test("the own cgroup is found in whichever hierarchy is mounted", async (t) => {
  const own = "/system.slice/orchd.service/supervisor";
  t.equal(ownCgroup(`0::${own}\n`, V2), `/sys/fs/cgroup${own}`);
  t.equal(ownCgroup("5:cpu:/x\n4:memory:/docker/abc\n0::/\n", V1), "/sys/fs/cgroup/memory");
  t.equal(ownCgroup("0::/\n", ""), null, "none without a mount");
});

t.test("a hastened move leaves this process where it is", async (t) => {
  const membership = () => readFileSync("/proc/self/cgroup", "utf8");
  const before = membership();
  await hastenMoves();
  t.equal(membership(), before);
});
