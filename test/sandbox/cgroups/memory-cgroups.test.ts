import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { limitOfCgroups, memoryCgroups } from "../../../src/sandbox/cgroups/memory-cgroups.ts";

const MIB = 1_048_576;
const V2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw";
const V1 = "35 24 0:30 /docker/abc /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory";

t.test("the limits are those of the process's cgroup and all above it", async (t) => {
  t.same(
    memoryCgroups("0::/system.slice/orchd.service/supervisor\n", V2).map(({ path }) => path),
    [
      "/sys/fs/cgroup/system.slice/orchd.service/supervisor",
      "/sys/fs/cgroup/system.slice/orchd.service",
      "/sys/fs/cgroup/system.slice",
      "/sys/fs/cgroup",
    ],
  );
  t.same(memoryCgroups("4:memory:/docker/abc\n3:cpu:/x\n", V1), [{ version: 1, path: "/sys/fs/cgroup/memory" }]);
  t.same(memoryCgroups("0::/\n", ""), [], "none without a mount");
});

t.test("the least limit counts, and page cache as available", async (t) => {
  const root = t.testdir();
  const inner = join(root, "inner");
  const write = (folder: string, files: Readonly<Record<string, string>>) => {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  };
  write(root, {
    "memory.max": String(1000 * MIB),
    "memory.high": "max",
    "memory.current": String(900 * MIB),
    "memory.stat": `anon 1\ninactive_file ${300 * MIB}\n`,
  });
  write(inner, { "memory.max": "max", "memory.current": "5" });
  const both = [inner, root].map((path) => ({ version: 2, path }) as const);
  t.same(limitOfCgroups(both), { limit: 1000 * MIB, available: 400 * MIB });
  write(inner, { "memory.high": String(500 * MIB) });
  t.match(limitOfCgroups(both), { limit: 500 * MIB, available: 400 * MIB });
  t.equal(limitOfCgroups([{ version: 2, path: join(root, "none") }]), null, "none set");
  const old = join(root, "old");
  write(old, { "memory.limit_in_bytes": "9223372036854771712", "memory.usage_in_bytes": "1" });
  t.equal(limitOfCgroups([{ version: 1, path: old }]), null, "version 1 says no limit by a large number");
  write(old, { "memory.limit_in_bytes": String(64 * MIB) });
  t.match(limitOfCgroups([{ version: 1, path: old }]), { limit: 64 * MIB });
});
