import { setTimeout as pause } from "node:timers/promises";
import { call, cpuSeconds, inParallel } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import type { Engine, Site } from "../site.ts";

const ENGINES = 10;
const WINDOW_S = 60;
/** The aim is stated for so many turns a second. */
const TURNS_PER_S = 100;

/** The daemon's processor time for collecting what turns spend: engines with turns against the same engines without. */
export async function usage(site: Site): Promise<readonly Row[]> {
  const users = Array.from({ length: ENGINES }, (_, index) => `spender-${index}`);
  const engines: Engine[] = [];
  for (const user of users) engines.push(await site.provision(user));
  // Their health probes cost the same with and without turns.
  const idleS = await daemonSeconds(site, () => pause(WINDOW_S * 1000));
  let turns = 0;
  const busyS = await daemonSeconds(site, async () => {
    const until = performance.now() + WINDOW_S * 1000;
    await inParallel(engines, ENGINES, async (engine) => {
      while (performance.now() < until) {
        await turn(engine, `turn-${turns}`);
        turns++;
      }
    });
  });
  await inParallel(users, ENGINES, (user) => site.destroy(user));
  const perTurnS = Math.max(0, busyS - idleS) / turns;
  return [
    loneRow(`the daemon's CPU for the usage of ${TURNS_PER_S} turns a second`, {
      value: perTurnS * TURNS_PER_S * 100,
      unit: "%",
      aim: "≤ 1 %",
    }),
    loneRow("… turns a second that were run", { value: turns / WINDOW_S, unit: "/s", aim: "–" }),
  ];
}

async function daemonSeconds(site: Site, work: () => Promise<unknown>): Promise<number> {
  const before = cpuSeconds(site.daemonPid);
  await work();
  return cpuSeconds(site.daemonPid) - before;
}

async function turn({ url, engine_api_key: key }: Engine, task_id: string): Promise<void> {
  const body = { task_id, message: "/say Hello.\n/usage 700 50 300" };
  const answer = await call(`${url}/execute`, { method: "POST", headers: { "x-engine-key": key }, body });
  if (answer.status !== 200) throw new Error(`a turn answered ${answer.status}`);
}
