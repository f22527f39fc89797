import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SparePool } from "../../../../../src/orchestrator/fleet/process/spares/spare-pool.ts";
import { SpareProcess } from "../../../../../src/orchestrator/fleet/process/spares/spare-process.ts";
import { isAlive, listProcesses, startArguments } from "../../../../../src/sandbox/processes/process-table.ts";
import { silent } from "../../../../helpers/fleet.ts";
import { until } from "../../../../helpers/until.ts";

const runDir = mkdtempSync(join(tmpdir(), "spares-"));
const KIND = { nodeOptions: ["-c"] };
// Without output of its own: tail ends when the pipe of its output closes, as after a claim.
const WAITS = 'echo ready; exec tail -f /dev/null "$0" >/dev/null 2>&1';
const FAILS = "echo no room >&2; exit 3";

// Spares do not keep the process alive.
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

/** A shell in the place of Node.js. */
const spare = (script: string) =>
  new SpareProcess({ nodePath: "/bin/sh", nodeOptions: ["-c"], engineEntry: script, runDir, environment: {} });

interface PoolOptions {
  readonly target?: number;
  readonly script?: () => string;
  readonly freeBoots?: () => number;
  readonly fitting?: () => number;
  readonly hasMemory?: () => Promise<boolean>;
}

function openPool(
  t: Test,
  {
    target = 2,
    script = () => WAITS,
    freeBoots = () => 2,
    fitting = () => Infinity,
    hasMemory = async () => true,
  }: PoolOptions = {},
) {
  let started = 0;
  let startedAt = 0;
  const pool = new SparePool({
    target,
    start: () => {
      started++;
      startedAt = performance.now();
      return spare(script());
    },
    firstKind: async () => KIND,
    freeBoots,
    fitting,
    hasMemory,
    logger: silent,
    retryMs: 100,
  });
  t.teardown(() => pool.close());
  pool.open();
  return { pool, started: () => started, startedAt: () => startedAt };
}

t.test("the pool fills to its target and no further, and is empty when it closes", async (t) => {
  const { pool, started } = openPool(t);
  await until("it is full", () => pool.report().ready === 2);
  pool.refill();
  const taken = pool.take(KIND);
  t.ok(taken);
  await until("it is full again", () => pool.report().ready === 2);
  t.equal(started(), 3);
  t.equal(pool.take({ nodeOptions: ["--other"] }), null, "a spare with other Node.js options is not taken");
  pool.close();
  t.equal(pool.report().ready, 0);
  t.ok(taken && isAlive(taken.identity), "a taken spare survives the close of the pool");
  taken?.end();
  await taken?.exited;
});

t.test("the next spare leaves the processor to the engine of a claim for a while", async (t) => {
  const { pool, started, startedAt } = openPool(t, { target: 1 });
  await until("it is full", () => pool.report().ready === 1);
  const claimedAt = performance.now();
  const taken = pool.take(KIND);
  t.teardown(() => taken?.end());
  await until("the next has started", () => started() === 2);
  const waitedMs = startedAt() - claimedAt;
  t.ok(waitedMs >= 95, `it has waited ${waitedMs} ms`);
});

t.test("a spare that is killed while it waits is replaced", async (t) => {
  const { pool, started } = openPool(t, { target: 1 });
  await until("it is full", () => pool.report().ready === 1);
  const waiting = listProcesses().find(({ pid }) => startArguments(pid).some((one) => one.startsWith(runDir)));
  process.kill(waiting?.pid ?? 0, "SIGKILL");
  await until("another has started", () => started() === 2);
  await until("it is full again", () => pool.report().ready === 1);
  t.equal(pool.report().problem, null);
});

t.test("boots go first: no more spares start beside them than there are free slots", async (t) => {
  let asked = 0;
  let free = 0;
  const freeBoots = () => {
    asked++;
    return free;
  };
  const { pool, started } = openPool(t, { target: 3, freeBoots, script: () => "exec tail -f /dev/null" });
  await until("it asked twice", () => asked >= 2);
  t.equal(started(), 0);
  free = 2;
  await until("two start at the same time", () => started() === 2);
  const before = asked;
  await until("it asked again twice", () => asked >= before + 2);
  t.equal(started(), 2, "the third one waits for one of them");
  t.equal(pool.report().ready, 0);
});

t.test("engines that are awake leave no place for spares, and those that slept give it back", async (t) => {
  let fitting = 2;
  const { pool, started } = openPool(t, { fitting: () => fitting });
  await until("it is full", () => pool.report().ready === 2);
  fitting = 1;
  // As at each start.
  pool.take({ nodeOptions: ["--other"] });
  await until("one has ended", () => pool.report().ready === 1);
  t.equal(started(), 2);
  fitting = 2;
  await until("it is full again", () => pool.report().ready === 2);
  t.equal(started(), 3);
});

t.test("an engine that needs memory ends a spare, which comes back when there is enough", async (t) => {
  let memory = true;
  let asked = 0;
  const hasMemory = async () => {
    asked++;
    return memory;
  };
  const { pool, started } = openPool(t, { target: 1, hasMemory });
  await until("it is full", () => pool.report().ready === 1);
  memory = false;
  t.equal(pool.endOne(), true);
  t.equal(pool.endOne(), false, "there is no other");
  const before = asked;
  await until("it asked for memory", () => asked > before);
  t.equal(started(), 1);
  memory = true;
  await until("it is full again", () => pool.report().ready === 1);
});

t.test("three failures in a row stop the refill, until one that is tried later succeeds", async (t) => {
  let script = FAILS;
  const { pool } = openPool(t, { target: 1, script: () => script });
  await until("it has stopped", () => pool.report().problem !== null);
  t.match(pool.report(), { ready: 0, problem: /3 failed in a row, the last one: it ended with 3: no room/ });
  script = WAITS;
  await until("it is full", () => pool.report().ready === 1);
  t.equal(pool.report().problem, null);
});

t.test("a spare is claimed once, and one that has ended cannot be", async (t) => {
  const claim = { launch_file: "/x", owner: null, folder: "/", launch: "{}" };
  const one = spare(WAITS);
  t.teardown(() => process.kill(one.identity.pid, "SIGKILL"));
  await one.ready;
  one.claim(claim, { log: 1, listener: 1 });
  t.throws(() => one.claim(claim, { log: 1, listener: 1 }), /claimed before/);
  one.end();
  t.ok(isAlive(one.identity), "end() does not end a claimed spare");
  const other = spare("echo ready");
  await other.exited;
  t.throws(() => other.claim(claim, { log: 1, listener: 1 }), { code: "EPIPE" });
  const large = spare(WAITS);
  t.throws(() => large.claim({ ...claim, launch: "x".repeat(200_000) }, { log: 1, listener: 1 }), /at most 100000/);
  await large.exited;
});
