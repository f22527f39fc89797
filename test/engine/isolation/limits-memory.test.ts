import t from "tap";
import { runProgram } from "../../../src/engine/tools/command/run-program.ts";
import { boundedHierarchies, engineCgroup, limitedLauncher, withinBounds } from "../../helpers/limits.ts";

const hierarchies = boundedHierarchies() ?? [];
const skip = hierarchies.length === 0 ? "needs writable controllers for processes and memory" : false;

/** Allocates without end, slowly enough for a watch on a busy machine. It ends by itself, lest a test that was killed leave it behind. */
const HOG = `perl -e 'my $end = time + 60; my @kept; while (time < $end) { push @kept, "x" x 1_000_000; select(undef, undef, undef, 0.005); }'`;

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
  const { launcher } = limitedLauncher(t.testdir({}), { cgroupFolders: cgroup.toolFolders(), memoryMb: 128 });
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
