import t, { type Test } from "tap";
import { setTimeout as pause } from "node:timers/promises";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { MODES, type Mode, type Tried, withFault } from "./parts/injected-fault.ts";
import { LONG } from "./parts/long.ts";
import { Random } from "./parts/random.ts";
import { report } from "./parts/report.ts";
import { openSite } from "./parts/site.ts";

const SCHEDULES = LONG ? 1000 : 12;
const USERS = LONG ? 10 : 3;
const KILLS = LONG ? 60 : 2;
/** In which the schedules are due. */
const SPAN_MS = LONG ? 120_000 : 3000;
const FAULTS = MODES.length;
const MAX_CALLS = 200;
const PATIENCE_MS = LONG ? 600_000 : 60_000;

t.setTimeout(LONG ? 3_600_000 : 180_000);
const random = new Random();
t.comment(`ORCHD_SEED=${random.seed}`);
const site = await openSite(t, { preload: "fault-injector.mjs", env: { ORCH_HEALTH_INTERVAL_S: "1" } });
await site.daemon.admin("/products/p1/policy", {
  method: "PUT",
  body: { max_schedules: 1000, min_schedule_interval_s: 1, idle_stop_s: 1 },
});

interface User {
  readonly name: string;
  readonly url: string;
  readonly key: string;
}

async function newUser(name: string): Promise<User> {
  const { body } = await site.product.post("/engines/provision", { user_id: name });
  return { name, url: body.url, key: body.engine_api_key };
}

async function schedule({ name }: Pick<User, "name">, task: string, delayMs: number): Promise<void> {
  const at = new Date(Date.now() + delayMs).toISOString();
  const answer = await site.product.post(`/engines/${name}/schedules`, {
    name: task,
    task_id: task,
    timing: { kind: "at", at },
    message: `/say ${task}`,
    missed: "run_once",
  });
  // A busy machine may take longer than that to hear of it.
  if (answer.status === 400 && Date.now() >= Date.parse(at)) return schedule({ name }, task, delayMs * 3);
  if (answer.status !== 201) throw new Error(answer.text);
}

/** How often a turn of each task has started and completed, from the engine's own log. */
async function turnsOf({ url, key }: User): Promise<ReadonlyMap<string, { started: number; completed: number }>> {
  const turns = new Map<string, { started: number; completed: number }>();
  for (let after = ""; ;) {
    const path = `/execute/replay?limit=10000${after === "" ? "" : `&after=${after}`}`;
    // Nobody listens for a moment when the daemon died before it had written down that the engine sleeps.
    const { body } = await until("the engine answers", () =>
      ask(url, path, { headers: { "x-engine-key": key } }).catch(() => null),
    );
    const events: readonly { readonly data: { readonly task_id: string; readonly phase?: string } }[] = body.events;
    for (const { data } of events) {
      const seen = turns.get(data.task_id) ?? { started: 0, completed: 0 };
      if (data.phase === "started") seen.started++;
      if (data.phase === "completed") seen.completed++;
      turns.set(data.task_id, seen);
    }
    if (events.length === 0 || body.next_after === null) return turns;
    after = String(body.next_after);
  }
}

const endedRuns = async (): Promise<number> => {
  const { rows } = await site.db.query("select count(*)::int as n from scheduled_runs where ended_at is not null");
  return rows[0].n;
};

/** Every schedule has one run, which is done, and one turn. */
async function assertOnce(t: Test, users: readonly User[], tasks: readonly string[], where: string): Promise<void> {
  const { rows } = await site.db.query<{ name: string; states: string }>(
    `select name, string_agg(state, ',') as states from schedules left join scheduled_runs on schedule_id = schedules.id
     where name = any($1) group by name`,
    [tasks],
  );
  const wrong = rows.filter(({ states }) => states !== "done");
  const turns = new Map((await Promise.all(users.map(turnsOf))).flatMap((map) => [...map]));
  const notOnce = tasks.filter((task) => turns.get(task)?.started !== 1 || turns.get(task)?.completed !== 1);
  t.same({ count: rows.length, wrong, notOnce }, { count: tasks.length, wrong: [], notOnce: [] }, where);
}

t.test("each schedule runs once, however often the daemon is killed", async (t) => {
  const users = await Promise.all(Array.from({ length: USERS }, (_, index) => newUser(`user-${index}`)));
  const tasks = Array.from({ length: SCHEDULES }, (_, index) => `task-${index}`);
  for (const [index, task] of tasks.entries())
    await schedule(users[index % USERS] as User, task, 1000 + random.below(SPAN_MS));
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(random.below((SPAN_MS + 1000) / KILLS));
    await site.daemon.stop("SIGKILL");
    await site.restart();
  }
  await until("every run has ended", async () => (await endedRuns()) === SCHEDULES, PATIENCE_MS);
  await assertOnce(t, users, tasks, `${SCHEDULES} schedules, ${KILLS} deaths`);
  report(t, { "schedules run": SCHEDULES, "daemons killed": KILLS });
});

t.test("a fault at any call of a run's path changes nothing of it", async (t) => {
  const { n: calls } = await disturb(t, { n: MAX_CALLS, mode: "fail" });
  t.ok(calls > 8 && calls < MAX_CALLS, `it makes ${calls} calls`);
  for (const [index, mode] of plan(calls)) await disturb(t, { n: index, mode });
  report(t, { "faults at a call": faults });
});

function plan(calls: number): readonly (readonly [number, Mode])[] {
  if (LONG) return MODES.flatMap((mode) => Array.from({ length: calls }, (_, index) => [index + 1, mode] as const));
  return Array.from({ length: FAULTS }, (_, index) => [
    Math.ceil(((index + 0.5) * calls) / FAULTS),
    MODES[(index + 1) % MODES.length] ?? "before",
  ]);
}

let faults = 0;

/** Lets a schedule become due with a fault at the n-th call from then on. */
async function disturb(t: Test, fault: { n: number; mode: Mode }): Promise<{ readonly n: number }> {
  const task = `fault-${++faults}`;
  // A new engine: one that a fault keeps from booting too often is given up.
  const user = await newUser(task);
  const before = await endedRuns();
  // Asleep, so that the run's path includes the wake.
  await until("it sleeps", async () => (await site.product.post(`/engines/${user.name}/sleep`)).status === 200, 20_000);
  await schedule(user, task, 200);
  const ended = async () => (await endedRuns()) === before + 1;
  const tried: Tried = await withFault(site.daemon, fault, async () => {
    const gone = () => site.daemon.process.exitCode !== null || site.daemon.process.signalCode !== null;
    await until("the run has ended, or the daemon", async () => gone() || (await ended()), PATIENCE_MS);
  });
  if (tried.died) await site.restart();
  await until("the run has ended", ended, PATIENCE_MS);
  await assertOnce(t, [user], [task], `${fault.mode} call ${fault.n}: ${tried.fired}`);
  await site.product.del(`/engines/${user.name}`);
  return { n: tried.count };
}
