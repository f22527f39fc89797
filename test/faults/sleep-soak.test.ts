import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { sendSignal } from "../../src/sandbox/processes/process-table.ts";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";
import { completedTasks } from "./parts/completed-tasks.ts";
import { engineProcesses } from "./parts/engine-processes.ts";
import { settle } from "./parts/invariants.ts";
import { LONG } from "./parts/long.ts";
import { Random } from "./parts/random.ts";
import { report } from "./parts/report.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

const SLEEPS = LONG ? 10_000 : 8;
const DAEMON_KILLS = LONG ? 100 : 1;
const USERS = LONG ? 12 : 3;
/** A call that finds nobody is sent again until it is answered. */
const CALL_DEADLINE_MS = 90_000;

/** A killed engine's connections end a moment after the signal. */
const KILL_NOTICED_MS = 1000;
/** Of the processes seen on their way to sleep or up. */
const KILLED_SHARE = 0.15;
const KILLED_WITHIN_MS = 150;
/** An engine that crashes more often in this time is not restarted again. A death of the daemon may count as one. */
const MOST_CRASHES = 3;
const CRASH_WINDOW_MS = 600_000;
const MOST_LOST = 20;

t.setTimeout(LONG ? 14_400_000 : 180_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const random = new Random();
t.comment(`ORCHD_SEED=${random.seed}`);
const site = await openSite(t);

interface User {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  readonly engineId: string;
  /** The task of each turn, sent until it was answered. */
  readonly turns: Set<string>;
}

/** What the calls met. */
const met = { sleeps: 0, kills: 0, refused: 0, cut: 0 };
/** Calls that failed although a socket listened and no process was killed. */
const lost: string[] = [];
/** When the daemon was killed, and when the next one was ready. */
const absences: { readonly from: number; to: number }[] = [];
/** When a process of an engine was killed, by the engine's id. */
const engineKills = new Map<string, number[]>();

async function newUser(index: number): Promise<User> {
  const name = `soak-${index}`;
  const { body } = await site.product.post("/engines/provision", { user_id: name });
  return { name, url: body.url, key: body.engine_api_key, engineId: body.id, turns: new Set() };
}

/** One turn, on a connection of its own. Sent again with the same key when the call was cut off, as clients do. */
async function turn(user: User): Promise<void> {
  const body = { task_id: randomUUID(), message: "/say Hello." };
  const idempotencyKey = randomUUID();
  user.turns.add(body.task_id);
  const deadline = Date.now() + CALL_DEADLINE_MS;
  while (Date.now() < deadline) {
    const began = Date.now();
    try {
      const { status, text } = await ask(user.url, "/execute", {
        method: "POST",
        headers: { "x-engine-key": user.key, "idempotency-key": idempotencyKey, connection: "close" },
        body,
        signal: AbortSignal.timeout(CALL_DEADLINE_MS),
      });
      if (status === 200 && text.includes('"phase":"completed"')) return;
      // The host may say that it is busy. Anything else is a fault.
      if (status !== 503) lost.push(`${user.name}: ${status} ${text.slice(-200)}`);
    } catch (error) {
      judge(user, began, error);
    }
    await pause(20 + random.below(50));
  }
  lost.push(`${user.name}: no answer within ${CALL_DEADLINE_MS} ms`);
}

const absentSince = (began: number): boolean => absences.some(({ to }) => to >= began);
const killedSince = ({ engineId }: User, began: number): boolean =>
  (engineKills.get(engineId) ?? []).some((at) => at >= began - KILL_NOTICED_MS);

/** A call may fail while no daemon held the sleeping engine's socket, or because the process that read it was killed. */
function judge(user: User, began: number, error: unknown): void {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (absentSince(began)) met.refused++;
  else if (code !== "ECONNREFUSED" && killedSince(user, began)) met.cut++;
  else lost.push(`${user.name}: ${code} at ${new Date().toISOString()}`);
}

/** Calls at random moments, so that some meet each step of falling asleep and waking, and others find it asleep. */
async function callAgain(user: User): Promise<void> {
  while (!over()) {
    await turn(user);
    await pause(random.below(random.chance(0.5) ? 250 : 1500));
  }
}

async function sendToSleep({ name }: User): Promise<void> {
  while (!over()) {
    const asked = AbortSignal.timeout(CALL_DEADLINE_MS);
    // While the daemon is absent nobody answers.
    await site.product.post(`/engines/${name}/sleep`, {}, asked).catch(() => null);
    await pause(random.below(150));
  }
}

/** Kills some of the processes that are falling asleep or starting, each at a moment of its own. */
async function killEngines(): Promise<void> {
  const seen = new Set<number>();
  while (!over()) {
    const { rows } = await site.db.query<{ id: string; pid: number }>(
      "select id, (handle ->> 'pid')::int as pid from engines where state in ('sleeping', 'starting') and handle is not null",
    );
    for (const { id, pid } of rows.filter((row) => !seen.has(row.pid))) {
      seen.add(pid);
      if (random.chance(KILLED_SHARE)) void killSoon(id, pid);
    }
    await pause(5 + random.below(20));
  }
}

async function killSoon(id: string, pid: number): Promise<void> {
  await pause(random.below(KILLED_WITHIN_MS));
  // Its pid may belong to another program by now.
  if (!engineProcesses(site.dataDir).some((found) => found.pid === pid && found.engineId === id)) return;
  const kills = engineKills.get(id) ?? [];
  if (kills.filter((at) => Date.now() - at < CRASH_WINDOW_MS).length >= MOST_CRASHES) return;
  engineKills.set(id, [...kills, Date.now()]);
  met.kills++;
  sendSignal(pid, "SIGKILL");
}

async function killDaemons(): Promise<void> {
  for (let kill = 1; kill <= DAEMON_KILLS; kill++) {
    await until("enough engines have slept", () => met.sleeps >= (kill * SLEEPS) / (DAEMON_KILLS + 1), 3_600_000);
    const absence = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    absences.push(absence);
    await site.daemon.stop("SIGKILL");
    await site.restart();
    absence.to = Date.now();
    tally.tried++;
  }
}

async function countSleeps(): Promise<void> {
  while (!over()) {
    const { rows } = await site.db.query("select count(*)::int as n from events where type = 'engine.slept'");
    met.sleeps = rows[0].n;
    await pause(100);
  }
}

const over = (): boolean => met.sleeps >= SLEEPS || lost.length > MOST_LOST;

t.test("engines that sleep and wake lose no call and no turn, whoever is killed meanwhile", async (t) => {
  const users = await Promise.all(Array.from({ length: USERS }, (_, index) => newUser(index)));
  await Promise.all([
    countSleeps(),
    killDaemons(),
    killEngines(),
    ...users.flatMap((user) => [callAgain(user), sendToSleep(user)]),
  ]);
  const turns = users.reduce((sum, user) => sum + user.turns.size, 0);
  report(t, {
    "fell asleep": met.sleeps,
    turns,
    "daemons killed": DAEMON_KILLS,
    "engines killed": met.kills,
    "calls sent again while no daemon was there": met.refused,
    "calls sent again to a killed engine": met.cut,
    "calls lost": lost.length,
  });
  t.same(lost, [], "no call is lost");
  t.same(await settle(site, tally, { deadlineMs: 60_000 }), {}, "everything settles");
  for (const user of users) {
    const completed = await completedTasks(user);
    t.same(completed.toSorted(), [...user.turns].toSorted(), `each turn of ${user.name} completed once`);
  }
});
