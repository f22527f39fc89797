import { join } from "node:path";
import { execa } from "execa";
import t from "tap";
import { SHARD_MUTATIONS } from "./shard-mutations.ts";

t.setTimeout(120_000);

/** In a process of its own: the hooks of the test runner make each promise dear. */
const run = (...args: readonly string[]) =>
  execa(process.execPath, [join(import.meta.dirname, "run-shards.ts"), ...args], {
    reject: false,
    all: true,
    env: { NODE_OPTIONS: "" },
  });

t.test("the design of a leader for each shard keeps its invariants in 200 simulated runs", async (t) => {
  const { all, exitCode } = await run("1", "200");
  t.equal(exitCode, 0, all);
  t.ok(Number(/^200 seeds, 0 failed, (\d+) calls/m.exec(all)?.[1]) > 40_000, all);
});

t.test("bugs of the design are found", async (t) => {
  const { all, exitCode } = await run("--mutations");
  t.equal(exitCode, 0, all);
  t.equal(all.split("\n").length, SHARD_MUTATIONS.length, all);
});

t.test("a seed is one run", async (t) => {
  const [first, second] = await Promise.all([run("7", "12"), run("7", "12")]);
  t.equal(second.all, first.all);
});

t.test("each daemon that comes gets its part of 256 shards, and takes nothing else", async (t) => {
  const { all, exitCode } = await run("--arrivals");
  t.equal(exitCode, 0, all);
  for (const [, nth, moves] of all.matchAll(/daemon (\d+) comes: (\d+) moves/g))
    t.equal(Number(moves), Math.floor(256 / Number(nth)), `daemon ${nth}`);
  t.match(all, /daemon 10 comes/);
});
