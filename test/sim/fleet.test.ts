import { globSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import t from "tap";

const PROGRAM = join(import.meta.dirname, "run.ts");

/** In processes of their own: the simulation replaces the clock, the timers and modules of Node.js. */
const simulate = (...args: readonly string[]) =>
  execa(process.execPath, [PROGRAM, ...args], { reject: false, all: true, env: { NODE_OPTIONS: "" } });

t.test("the fleet keeps its invariants in 200 simulated runs", async (t) => {
  const halves = await Promise.all([simulate("1", "100"), simulate("101", "200")]);
  for (const { all, exitCode } of halves) {
    t.equal(exitCode, 0, all);
    t.match(all, /^100 seeds, 0 failed/m, "all ran");
    // Without engines that start, every invariant holds.
    t.ok(Number(/(\d+) turns/.exec(all)?.[1]) > 50, "engines answered turns");
  }
});

t.test("a seed is one run: a replay draws the same", async (t) => {
  const replayed = await simulate("--replay", "7", "12");
  t.equal(replayed.exitCode, 0, replayed.all);
  t.match(replayed.all, /^6 seeds, 0 failed/m);
});

t.test("what simulated runs have found stays mended", async (t) => {
  const files = globSync(join(import.meta.dirname, "seeds/*.json")).sort();
  t.ok(files.length > 0, `${files.length} plans`);
  const { all, exitCode } = await simulate(...files.map((file) => `--plan=${file}`));
  t.equal(exitCode, 0, all);
});
