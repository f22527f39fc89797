import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { type Answer, ask } from "../helpers/api.ts";
import { engineProcesses } from "./parts/engine-processes.ts";
import { clearAway, settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { Random } from "./parts/random.ts";
import { report } from "./parts/report.ts";
import { type Product, openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";
import { watchIncarnations } from "./parts/watch-incarnations.ts";

/** A round is not cut off. */
const LASTS_MS = LONG ? 3_600_000 : 0;
const CLIENTS = 12;
const COMMANDS_EACH = LONG ? 25 : 20;
const USERS = ["ann", "ben", "cleo", "dan"];
/** The legal statuses of a call with concurrent calls. */
const ANSWERS = [200, 201, 404, 409, 502, 503];

t.setTimeout(LONG ? 5_400_000 : 120_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const { seed } = new Random();
t.comment(`ORCHD_SEED=${seed}`);
const site = await openSite(t, { engine: "well-behaved" });

type Command = (product: Product, user: string, signal: AbortSignal) => Promise<Answer>;
const remove: Command = (p, user, signal) => p.del(`/engines/${user}`, signal);
/** Wakes an engine that sleeps. One without a process refuses the connection. */
const callAtItsAddress: Command = async (p, user, signal) => {
  const engine = await p.get(`/engines/${user}`);
  if (engine.status !== 200) return engine;
  await ask(engine.body.url, "/health", { signal }).catch(() => null);
  return engine;
};
const commands: readonly Command[] = [
  (p, user_id, signal) => p.post("/engines/provision", { user_id }, signal),
  (p, user_id, signal) => p.post("/engines/admit", { user_id }, signal),
  (p, user_id, signal) => p.post("/engines/admit", { user_id }, signal),
  (p, user, signal) => p.post(`/engines/${user}/start`, {}, signal),
  (p, user, signal) => p.post(`/engines/${user}/start`, {}, signal),
  (p, user, signal) => p.post(`/engines/${user}/stop`, {}, signal),
  (p, user, signal) => p.post(`/engines/${user}/stop`, { force: true }, signal),
  (p, user, signal) => p.post(`/engines/${user}/sleep`, {}, signal),
  (p, user, signal) => p.post(`/engines/${user}/sleep`, {}, signal),
  callAtItsAddress,
  (p, user, signal) => p.post(`/engines/${user}/rotate-key`, {}, signal),
  (p, user, signal) => p.post(`/engines/${user}/rotate-key`, { grace_s: 60 }, signal),
  (p, user) => p.get(`/engines/${user}`),
  remove,
  remove,
];

/** The sequential commands of one client, each possibly aborted. Returns the statuses. */
async function client(random: Random): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < COMMANDS_EACH; count++) {
    tally.tried++;
    if (random.chance(0.04)) crash(random);
    const patience = random.chance(0.2) ? random.below(150) : 60_000;
    const signal = AbortSignal.timeout(patience);
    const answer = await random
      .pick(commands)(site.product, random.pick(USERS), signal)
      .catch(() => null);
    if (answer !== null) statuses.push(answer.status);
    else if (patience === 60_000 && !restarting) statuses.push(0);
    if (random.chance(0.3) || (restarting && answer === null)) await sleep(random.below(100));
  }
  return statuses;
}

/** Kills an engine. */
function crash(random: Random): void {
  const processes = engineProcesses(site.dataDir);
  if (processes.length === 0) return;
  try {
    process.kill(random.pick(processes).pid, "SIGKILL");
  } catch (error) {
    // It was being stopped.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

let restarting = false;
/** Kills the daemon during the commands. */
async function replaceDaemon(random: Random): Promise<void> {
  restarting = true;
  await sleep(random.below(1500));
  await site.daemon.stop("SIGKILL");
  await site.restart();
}

t.test("random concurrent commands leave every engine in a legal state with at most one process", async (t) => {
  const began = performance.now();
  let [round, daemonKills] = [0, 0];
  for (; round === 0 || performance.now() - began < LASTS_MS; round++) {
    const watch = watchIncarnations(site);
    // Every other round the daemon is killed too.
    restarting = false;
    const randomOf = (who: number) => new Random(seed + round * 100 + who);
    const replaced = round % 2 === 1 ? replaceDaemon(randomOf(99)) : undefined;
    const clients = Array.from({ length: CLIENTS }, (_, who) => client(randomOf(who)));
    const statuses = (await Promise.all(clients)).flat();
    await replaced;
    if (replaced !== undefined) daemonKills++;
    const odd = statuses.filter((status) => !ANSWERS.includes(status));
    t.same(odd, [], `round ${round}: ${statuses.length} answers`);
    const broken = await settle(site, tally, { deadlineMs: 60_000 });
    t.same(broken, {}, `round ${round} settles`);
    t.same(await watch.end(), [], `never two lives of one engine in ${watch.checks} looks`);
    if (Object.keys(broken).length > 0) await clearAway(site);
    await Promise.all(USERS.map((user) => site.product.del(`/engines/${user}`)));
  }
  report(t, { rounds: round, "clients at a time": CLIENTS, "daemons killed": daemonKills });
});
