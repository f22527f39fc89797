import t from "tap";
import { join } from "node:path";
import type { Answer } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";
import { type TcpGate, startTcpGate } from "./parts/tcp-gate.ts";

/** The deadline for every response. */
const PATIENCE_MS = 30_000;

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
let gate: TcpGate | undefined;
const site = await openSite(t, {
  engine: "well-behaved",
  env: { ORCH_HEALTH_INTERVAL_S: "1" },
  async reach({ host, port, user, password, database }) {
    gate = await startTcpGate(t, join(host, `.s.PGSQL.${port}`));
    return `postgres://${user}:${password}@127.0.0.1:${gate.port}/${database}`;
  },
});
const { product } = site;

t.test("half-open connections count as an outage and are replaced afterwards", async (t) => {
  const made = await product.post("/engines/provision", { user_id: "ann" });
  t.equal(made.status, 201);
  for (let round = 0; round < (LONG ? 5 : 1); round++) {
    gate?.silence();
    const calls: (() => Promise<Answer>)[] = [
      () => product.post("/engines/provision", { user_id: "ben" }),
      () => product.post("/engines/admit", { user_id: "ann" }),
      () => product.post("/engines/ann/stop"),
      () => product.post("/engines/ann/rotate-key"),
      () => product.del("/engines/ann"),
      // More than the pool has connections, so that some wait.
      ...Array.from({ length: 30 }, () => () => product.post("/engines/nobody/start")),
    ];
    const start = performance.now();
    const answers = await Promise.all(calls.map((call) => call()));
    tally.tried += calls.length;
    t.ok(performance.now() - start < PATIENCE_MS, `answered within ${Math.round(performance.now() - start)} ms`);
    t.same(
      answers.filter(({ status, headers }) => status !== 503 || !(Number(headers["retry-after"]) > 0)),
      [],
      "each with 503 and Retry-After",
    );
    gate?.open();
    await until("the daemon is ready again", async () => (await site.daemon.admin("/ready")).status === 200, 60_000);
    t.same(await settle(site, tally, { deadlineMs: 60_000 }), {});
    const { body } = await product.get("/engines/ann");
    t.match(body, { state: "running", pid: made.body.pid }, "the engine was left alone");
  }
  t.equal((await product.post("/engines/provision", { user_id: "ben" })).status, 201);
  t.equal((await product.post("/engines/ann/stop", { force: true })).status, 200);
  t.same(await settle(site, tally), {});
});

t.test("the daemon still stops on request", async (t) => {
  const pid = site.daemon.process.pid;
  site.daemon.process.kill("SIGTERM");
  const gone = await until("the daemon has ended", () => site.daemon.process.exitCode !== null, 30_000).catch(
    () => false,
  );
  if (!gone) process.kill(pid ?? 0, "SIGKILL");
  t.ok(gone);
});
