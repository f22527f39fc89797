import { type ChildProcess, spawn } from "node:child_process";
import t, { type Test } from "tap";
import { until } from "../helpers/until.ts";
import { isPortFree } from "../../src/orchestrator/fleet/process/port-check.ts";
import { readIdentity } from "../../src/sandbox/processes.ts";
import { LONG } from "./parts/long.ts";
import { engineProcesses } from "./parts/engine-processes.ts";
import { isAlive } from "./parts/is-alive.ts";
import { settle } from "./parts/invariants.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";
import { startThief } from "./parts/thief.ts";

t.setTimeout(LONG ? 3_600_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { engine: "well-behaved" });
const thief = await startThief(t, site.dataDir);
const { product, db } = site;

/** A foreign process in its own session, like an engine. */
function stranger(t: Test): ChildProcess & { readonly pid: number } {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  t.teardown(() => child.kill("SIGKILL"));
  if (child.pid === undefined) throw new Error("no sleep");
  return child as ChildProcess & { pid: number };
}

/** Sets the process of a row while no daemon runs. */
const write = (user: string, { pid, startTime }: { pid: number; startTime: string }) =>
  db.query("update engines set handle = handle || $2 where user_id = $1", [user, JSON.stringify({ pid, startTime })]);

/** The row of a daemon that crashed right after the claim. */
async function begin(state: string, engineId: string): Promise<void> {
  await db.query("update engines set state = $2, deadline_at = now() where id = $1", [engineId, state]);
  await db.query(
    `insert into events (id, host_id, type, engine_id, from_state, to_state, actor)
     select 'evt_' || gen_random_uuid(), host_id, 'engine.stopping', id, 'running', state, 'product' from engines
     where id = $1`,
    [engineId],
  );
}

/** The foreign process was not signalled, and the engine is in a legal state. */
async function standsStill(t: Test, foreign: { readonly pid: number }, user: string): Promise<void> {
  await until(`${user} settles`, async () => (await product.get(`/engines/${user}`)).body.state === "running", 30_000);
  t.same(await settle(site, tally), {});
  t.ok(isAlive(foreign.pid), "the stranger was not signalled");
  t.equal((await product.del(`/engines/${user}`)).status, 200);
  t.ok(isAlive(foreign.pid), "a destroy does not signal the foreign process");
  t.same(await settle(site, tally), {});
}

t.test("a daemon after a death signals no process that an engine's row names but is not the engine", async (t) => {
  const users = ["dead", "alive", "stopping", "destroying"];
  tally.tried += users.length;
  const engines = new Map(
    await Promise.all(
      users.map(async (user) => {
        const { body } = await product.post("/engines/provision", { user_id: user });
        return [user, body] as const;
      }),
    ),
  );
  await site.daemon.stop("SIGKILL");
  const strangers = new Map(users.map((user) => [user, stranger(t)]));
  const foreign = (user: string) => {
    const found = strangers.get(user);
    if (found === undefined) throw new Error(`no stranger of ${user}`);
    return found;
  };
  for (const [user, { pid, id }] of engines) {
    if (user !== "alive") process.kill(pid, "SIGKILL");
    await write(user, readIdentity(foreign(user).pid));
    if (user === "stopping" || user === "destroying") await begin(user, id);
  }
  await site.restart();
  await t.test("a reused pid of an exited engine", (t) => standsStill(t, foreign("dead"), "dead"));
  await t.test("a running engine ends with one process; the foreign one runs on", (t) =>
    standsStill(t, foreign("alive"), "alive"),
  );
  await t.test("an unfinished stop or destroy", async (t) => {
    t.same(await settle(site, tally), {});
    for (const user of ["stopping", "destroying"]) t.ok(isAlive(foreign(user).pid), user);
  });
});

t.test("a foreign process that answers on the recorded port keeps it", async (t) => {
  tally.tried++;
  const { body } = await product.post("/engines/provision", { user_id: "robbed" });
  await site.daemon.stop("SIGKILL");
  process.kill(body.pid, "SIGKILL");
  await until("the port is free", () => isPortFree("127.0.0.1", body.port));
  await thief.take(body.port);
  await site.restart();
  const again = await until(
    "it runs again",
    async () => {
      const now = await product.get("/engines/robbed");
      return now.body.state === "running" && now.body.pid !== body.pid && now.body;
    },
    30_000,
  );
  t.not(again.port, body.port);
  t.same(await settle(site, tally), {});
  await thief.dispose();
});

t.test("after a reboot all wanted engines restart, and no recorded process is signalled", async (t) => {
  tally.tried++;
  const foreign = stranger(t);
  const users = ["one", "two", "three"];
  await Promise.all(users.map((user_id) => product.post("/engines/provision", { user_id })));
  await product.post("/engines/three/stop", { force: true });
  await site.daemon.stop("SIGKILL");
  for (const { pid } of engineProcesses(site.dataDir)) process.kill(pid, "SIGKILL");
  for (const user of users.slice(0, 2)) await write(user, readIdentity(foreign.pid));
  await db.query(`update engines set handle = handle || '{"bootId": "of-an-earlier-boot"}' where handle is not null`);
  await site.restart();
  const states = async () => Promise.all(users.map(async (user) => (await product.get(`/engines/${user}`)).body.state));
  await until(
    "all are where they are wanted",
    async () => String(await states()) === "running,running,stopped",
    30_000,
  );
  t.same(await settle(site, tally), {});
  t.ok(isAlive(foreign.pid));
});
