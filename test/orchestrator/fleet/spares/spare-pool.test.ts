import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SparePool } from "../../../../src/orchestrator/fleet/spares/spare-pool.ts";
import { SpareProcess } from "../../../../src/orchestrator/fleet/spares/spare-process.ts";
import { isAlive, listProcesses, startArguments } from "../../../../src/shared/processes.ts";
import { silent } from "../../../helpers/fleet.ts";
import { until } from "../../../helpers/until.ts";

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
  readonly isBusy?: () => boolean;
}

function openPool(t: Test, { target = 2, script = () => WAITS, isBusy = () => false }: PoolOptions = {}) {
  let started = 0;
  const pool = new SparePool({
    target,
    start: () => {
      started++;
      return spare(script());
    },
    firstKind: async () => KIND,
    isBusy,
    logger: silent,
    retryMs: 100,
  });
  t.teardown(() => pool.close());
  pool.open();
  return { pool, started: () => started };
}
t.test("the pool fills to its target and no further, and is empty when it closes", async (t) => {
  const { pool, started } = openPool(t);
  await until("it is full", () => pool.report().ready === 2);
  pool.refill();
  const taken = pool.take(KIND);
  t.ok(taken);
  await until("it is full again", () => pool.report().ready === 2);
  t.equal(started(), 3);
  t.equal(pool.take({ nodeOptions: ["--other"] }), null, "one of another kind does not fit");
  pool.close();
  t.equal(pool.report().ready, 0);
  t.ok(taken && isAlive(taken.identity), "what was taken is its taker's");
  taken?.end();
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

t.test("boots go first", async (t) => {
  let busy = true;
  const { pool, started } = openPool(t, { target: 1, isBusy: () => busy });
  await until("it looked twice", async () => new Promise((resolve) => setTimeout(() => resolve(true), 600)));
  t.equal(started(), 0);
  busy = false;
  await until("it is full", () => pool.report().ready === 1);
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
  t.ok(isAlive(one.identity), "nor does it end with the pool");
  const other = spare("echo ready");
  await other.exited;
  t.throws(() => other.claim(claim, { log: 1, listener: 1 }), { code: "EPIPE" });
  const large = spare(WAITS);
  t.throws(() => large.claim({ ...claim, launch: "x".repeat(200_000) }, { log: 1, listener: 1 }), /at most 100000/);
  await large.exited;
});
