import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { LimitedLauncher } from "../../../src/sandbox/programs/limited-launcher.ts";
import { CONFINED } from "../../helpers/confined.ts";
import { listProcesses } from "../../../src/sandbox/processes/process-table.ts";
import { startEngine } from "../../helpers/engine.ts";
import { limitedLauncher } from "../../helpers/limits.ts";
import { until } from "../../helpers/until.ts";
import { agentFile } from "../../engine/catalog/catalog-bench.ts";
import { cannotConfine, launcherBench } from "./launcher-bench.ts";

const scoreOf = (pid: number | "self"): number => Number(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8"));

/** Forks before anything else can look at it. */
const FORKING = "sleep 60 & exec sleep 60";

async function start(launcher: LimitedLauncher, command: string) {
  return launcher.start({
    argv: ["/bin/sh", "-c", command],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    streams: "output",
  });
}

for (const [name, skip] of [
  ["a program", false],
  ["a confined program", cannotConfine],
] as const) {
  t.test(`${name} and its children have a higher score than the engine`, { skip }, async (t) => {
    const { dataDir, launcher: confined } = launcherBench(t);
    const more = name === "a program" ? {} : { launcher: confined };
    const { launcher } = limitedLauncher(dataDir, { cgroupFolders: [], ...more });
    const own = scoreOf("self");
    const wanted = Math.min(1000, own + 300);
    const programs = await Promise.all([1, 2, 3].map(() => start(launcher, FORKING)));
    for (const { tree } of programs) {
      const pids = await until("it has forked", () => (tree.pids().length === 2 ? tree.pids() : null));
      t.same(pids.map(scoreOf), [wanted, wanted]);
    }
    t.equal(scoreOf("self"), own, "the engine's own is as before");
    for (const program of programs) {
      await program.tree.end();
      program.dispose();
    }
  });
}

t.test("a program that cannot be started leaves the engine's score as it was", async (t) => {
  const { launcher } = limitedLauncher(t.testdir({}), { cgroupFolders: [] });
  const own = scoreOf("self");
  const program = { argv: ["true"], cwd: "/nowhere", env: {}, streams: "output" } as const;
  await t.rejects(launcher.start(program), { message: /ENOENT/ });
  t.equal(scoreOf("self"), own);
});

t.test("an isolated engine may write its score, and no other file of /proc", { skip: cannotConfine }, async (t) => {
  const dataDir = t.testdir();
  mkdirSync(join(dataDir, "catalog/agents"), { recursive: true });
  writeFileSync(
    join(dataDir, "catalog/agents/default.md"),
    agentFile("default", "permissions:\n  run_command: allow\n"),
  );
  const writer = join(dataDir, "writer.cjs");
  writeFileSync(
    writer,
    `setImmediate(() => { for (const file of ["self/oom_score_adj", "self/comm", process.ppid + "/oom_score_adj", "sys/kernel/core_pattern"])
  try { require("node:fs").closeSync(require("node:fs").openSync("/proc/" + file, "r+")); process.stderr.write("may write " + file + "\\n"); }
  catch (error) { process.stderr.write(error.code + " " + file + "\\n"); } process.stderr.write("tried all\\n"); });`,
  );
  const engine = await startEngine(t, { dataDir, isolation: CONFINED, nodeOptions: ["--require", writer] });
  const { pid = 0 } = engine.process;
  await until("it has tried", () => engine.output().includes("tried all"));
  t.same(engine.output().match(/^may write .*$/gm), ["may write self/oom_score_adj"]);
  const own = scoreOf(pid);
  const turn = engine.turn("task", `/tool run_command ${JSON.stringify({ command: FORKING.replaceAll("60", "57") })}`);
  const children = await until("the command has forked", () => {
    const found = listProcesses().filter(({ parent, session }) => parent === pid || isBelow(session, pid));
    return found.length === 2 ? found : null;
  });
  t.same(new Set(children.map((one) => scoreOf(one.pid))), new Set([Math.min(1000, own + 300)]));
  t.equal(scoreOf(pid), own);
  for (const child of children) process.kill(child.pid, "SIGKILL");
  await turn;
});

/** Whether the leader of a session is a child of the engine. */
const isBelow = (session: number, engine: number): boolean =>
  listProcesses().some(({ pid, parent }) => pid === session && parent === engine);
