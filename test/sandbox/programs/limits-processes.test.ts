import { setImmediate } from "node:timers/promises";
import t, { type Test } from "tap";
import type { LimitedProgram } from "../../../src/sandbox/programs/limited-launcher.ts";
import type { DelegatedCgroup } from "../../../src/sandbox/cgroups/delegated-cgroup.ts";
import { readStat } from "../../../src/sandbox/processes/process-table.ts";
import { cannotConfine, launcherBench } from "./launcher-bench.ts";
import {
  type LimitsOfTest,
  BOUNDS,
  boundedHierarchies,
  engineCgroup,
  limitedLauncher,
  withinBounds,
} from "../../helpers/limits.ts";
import { until } from "../../helpers/until.ts";

const hierarchies = boundedHierarchies() ?? [];
const skip = hierarchies.length === 0 ? "needs writable controllers for processes and memory" : false;
const PATH = "/usr/bin:/bin";

/** Forks until the limit is reached, in Perl. Ends by itself, lest a test that was killed leave it behind. */
const bomb = (start: string, child: string): string =>
  `exec perl -MPOSIX -e '${start} my $end = time + 60; while (time < $end) { my $pid = fork; if (defined $pid && $pid == 0) { ${child} } select(undef, undef, undef, 0.01); }'`;

const BOMBS = {
  "a fork bomb": bomb("", ""),
  "a fork bomb of sessions that ignore TERM": bomb('$SIG{TERM} = "IGNORE";', "setsid();"),
  "a daemon forked twice that ignores TERM": `perl -MPOSIX -e '$SIG{TERM} = "IGNORE"; exit if fork; setsid(); exit if fork; %ENV = (); sleep 60;' & sleep 60`,
};

/** Without those that have ended and whose parent has not noticed. */
const living = (cgroup: DelegatedCgroup): readonly number[] => cgroup.pids().filter((pid) => readStat(pid) !== null);

async function started(t: Test, command: string, limits: LimitsOfTest): Promise<LimitedProgram> {
  const { launcher } = limitedLauncher(t.testdir({}), limits);
  const program = await launcher.start({
    argv: ["/bin/sh", "-c", command],
    cwd: "/",
    env: { PATH },
    streams: "output",
  });
  program.stdout.resume();
  return program;
}

const VERSIONS = {
  "cgroups of both versions": hierarchies,
  "cgroups of version 1": hierarchies.filter(({ version }) => version === 1),
};
for (const [version, used] of Object.entries(VERSIONS)) {
  for (const [name, command] of Object.entries(BOMBS)) {
    t.test(`${name} fails at its limit and is gone at its end, with ${version}`, { skip }, async (t) => {
      const cgroup = engineCgroup(t, used);
      const program = await started(t, command, { cgroupFolders: cgroup.nestedFolders() });
      const wanted = name.startsWith("a fork bomb") ? BOUNDS.maxProcesses - 20 : 3;
      const isDaemon = (pid: number) => ![undefined, program.pid].includes(readStat(pid)?.session);
      const hasForked = (pids: readonly number[]) => pids.length >= wanted && (wanted > 3 || pids.some(isDaemon));
      await until("it has forked", () => hasForked(program.tree.pids()));
      t.ok(program.tree.pids().length <= BOUNDS.maxProcesses);
      t.notOk(program.exceeded.aborted, "the kernel limits it");
      t.ok((await program.tree.end()) >= wanted);
      t.same(living(cgroup), []);
      program.dispose();
    });
  }
}

t.test("without a cgroup a fork bomb is found and is gone at its end", { skip }, async (t) => {
  const bounds = engineCgroup(t, hierarchies);
  const program = await started(t, withinBounds(bounds, BOMBS["a fork bomb"]), {
    cgroupFolders: [],
    maxProcesses: 100,
  });
  await until("the watch has found it", () => program.exceeded.aborted);
  t.match(program.exceeded.reason, "it started more than the 100 processes and threads that tools may have");
  t.ok((await program.tree.end()) > 0);
  t.same(living(bounds), []);
  program.dispose();
});

t.test("without a cgroup a fork bomb of sessions is gone at its end", { skip }, async (t) => {
  const bounds = engineCgroup(t, hierarchies);
  const command = withinBounds(bounds, BOMBS["a fork bomb of sessions that ignore TERM"]);
  const program = await started(t, command, { cgroupFolders: [], maxProcesses: 100 });
  await until("the watch has found it", () => program.exceeded.aborted);
  t.ok((await program.tree.end()) > 0);
  t.same(living(bounds), []);
  program.dispose();
});

const notRoot = process.getuid?.() === 0 ? false : "only root may start a process as another user";
t.test("without a cgroup the kernel limits a user of its own", { skip: skip || notRoot }, async (t) => {
  const bounds = engineCgroup(t, hierarchies);
  const uid = 1_999_000_102;
  // The watch would end it later.
  const limits = { cgroupFolders: [], maxProcesses: 1000, userTasks: 40 };
  const other = `exec setpriv --reuid ${uid} --regid ${uid} --clear-groups /bin/sh -c "$BOMB"`;
  const { launcher } = limitedLauncher(t.testdir({}), limits);
  const program = await launcher.start({
    argv: ["/bin/sh", "-c", withinBounds(bounds, other)],
    cwd: "/",
    env: { PATH, BOMB: BOMBS["a fork bomb"] },
    streams: "output",
  });
  program.stdout.resume();
  await until("it has forked", () => living(bounds).length >= 40);
  for (let look = 0; look < 100; look++) {
    t.ok(living(bounds).length <= 40);
    await setImmediate();
  }
  t.notOk(program.exceeded.aborted);
  await program.tree.end();
  program.dispose();
});

t.test("another command and the engine fork while a bomb has used up the processes of tools", { skip }, async (t) => {
  const cgroup = engineCgroup(t, hierarchies);
  const forking = await started(t, BOMBS["a fork bomb"], { cgroupFolders: cgroup.nestedFolders() });
  await until("it has forked", () => forking.tree.pids().length >= BOUNDS.maxProcesses - 20);
  const engine = await started(t, `${withinEngine(cgroup)} && exec sleep 60`, { cgroupFolders: [] });
  await until("a process of the engine runs", () => cgroup.pids().includes(engine.pid));
  t.ok(readStat(engine.pid));
  await forking.tree.end();
  await engine.tree.end();
  forking.dispose();
  engine.dispose();
});

t.test("a confined command enters its cgroup, and cannot leave it", { skip: skip || cannotConfine }, async (t) => {
  const cgroup = engineCgroup(t, hierarchies);
  const { dataDir, folders, launcher: confined } = launcherBench(t);
  const { launcher } = limitedLauncher(dataDir, { cgroupFolders: cgroup.nestedFolders(), launcher: confined });
  const leave = hierarchies.map(({ path }) => `echo $$ > ${path}/cgroup.procs`).join("; ");
  const program = await launcher.start({
    argv: ["/bin/sh", "-c", `${leave}; echo tried; exec sleep 60`],
    cwd: folders.workspace,
    env: { PATH },
    streams: "output",
  });
  let output = "";
  program.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await until("it has tried to leave", () => output.includes("tried"));
  t.ok(cgroup.pids().includes(program.pid));
  t.same(program.tree.pids(), [program.pid]);
  t.equal(await program.tree.end(), 1);
  program.dispose();
});

const withinEngine = (cgroup: DelegatedCgroup): string =>
  cgroup
    .nestedFolders()
    .map((folder) => `echo 0 > ${folder}/../cgroup.procs`)
    .join(" && ");
