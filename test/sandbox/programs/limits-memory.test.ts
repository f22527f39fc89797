import { join } from "node:path";
import t from "tap";
import { runProgram } from "../../../src/engine/tools/command/run-program.ts";
import { EXIT_THREAD } from "../../helpers/headless.ts";
import { boundedHierarchies, engineCgroup, limitedLauncher, withinBounds } from "../../helpers/limits.ts";

const hierarchies = boundedHierarchies() ?? [];
const skip = hierarchies.length === 0 ? "needs writable controllers for processes and memory" : false;

/** Takes 200 MB, less than the bounds of a test, and keeps them until it is ended, however late that is. */
const HOG = `perl -e 'my @kept; push @kept, chr(65 + $_ % 26) x 1_000_000 for 1 .. 200; sleep 60'`;

const run = (launcher: Parameters<typeof runProgram>[0], command: string) =>
  runProgram(launcher, {
    argv: ["/bin/sh", "-c", command],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    signal: AbortSignal.timeout(60_000),
    onOutput: () => undefined,
  });

t.test("the kernel ends a command that uses too much memory, and the error says so", { skip }, async (t) => {
  const cgroup = engineCgroup(t, hierarchies, { maxProcesses: 100, memoryMb: 128, cpuWeight: 100 });
  const { launcher } = limitedLauncher(t.testdir({}), { cgroupFolders: cgroup.nestedFolders(), memoryMb: 128 });
  await t.rejects(run(launcher, `echo begins; ${HOG}; echo goes on`), {
    name: "ToolFailed",
    message: /^1 of its processes were ended because tools may use 96 MB of memory; .*begins/s,
  });
  t.equal(cgroup.oomKills(), 0, "which is no kill of the engine");
  t.equal((await run(launcher, "exit 3")).exitCode, 3, "the next command is another");
});

t.test("without a cgroup a watch ends a command that uses too much memory", { skip }, async (t) => {
  const bounds = engineCgroup(t, hierarchies);
  const { launcher } = limitedLauncher(t.testdir({}), { cgroupFolders: [], memoryMb: 128 });
  await t.rejects(run(launcher, withinBounds(bounds, HOG)), {
    message: /^it used more than the 96 MB of memory that tools may use; /,
  });
  t.same(bounds.pids(), []);
});

/** Python programs that keep 200 MB where no process, or many, have it. */
const HIDERS = {
  "memory of a program whose first thread has exited": `
import ctypes, threading
kept = []
threading.Thread(target=lambda: step(200, lambda: kept.append(bytearray(block)))).start()
ctypes.CDLL(None).syscall(${EXIT_THREAD}, 0)`,
  "memory that many processes share": `
m = mmap.mmap(-1, 200 * MB)
for i in range(4): os.fork()
step(200, lambda: m.write(block))`,
  "one piece of shared memory in each process": `
kept = []
def more():
  m = mmap.mmap(-1, 20 * MB); m.write(block * 20); kept.append(m)
  if os.fork(): time.sleep(60)
step(10, more)`,
  "files in memory that no process maps": `
f = os.memfd_create("a")
step(200, lambda: os.write(f, block))`,
  "files in memory that it maps, and then forgets": `
kept = []
def more():
  f = os.memfd_create("a"); os.ftruncate(f, 10 * MB); m = mmap.mmap(f, 10 * MB); m.write(block * 10); os.close(f)
  m.madvise(mmap.MADV_DONTNEED); kept.append(m)
step(20, more)`,
};
const hider = (body: string): string => `
import mmap, os, time
MB = 1 << 20
block = b"x" * MB
def step(times, more):
  for _ in range(times): more()
  time.sleep(60)
${body}
`;

for (const [what, body] of Object.entries(HIDERS)) {
  t.test(`without a cgroup a watch sees ${what}`, { skip }, async (t) => {
    const bounds = engineCgroup(t, hierarchies);
    const { launcher } = limitedLauncher(t.testdir({}), { cgroupFolders: [], memoryMb: 128 });
    const program = join(t.testdir({ "hider.py": hider(body) }), "hider.py");
    await t.rejects(run(launcher, withinBounds(bounds, `exec /usr/bin/python3 ${program}`)), {
      message: /^it used more than the 96 MB of memory that tools may use; /,
    });
  });
}

t.test("processes that share most of their memory are not ended for its sum", { skip }, async (t) => {
  const bounds = engineCgroup(t, hierarchies);
  const { launcher } = limitedLauncher(t.testdir({}), { cgroupFolders: [], memoryMb: 128 });
  const many = `perl -e 'my $kept = "x" x 20_000_000; for (1 .. 5) { fork or do { select(undef, undef, undef, 1); exit } } 1 while wait > 0; print "done"'`;
  t.equal((await run(launcher, withinBounds(bounds, many))).output, "done");
});
