import { setTimeout as pause } from "node:timers/promises";
import { cpuSeconds, inParallel, proportionalMiB, untilHealthy } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import type { Site } from "../site.ts";
import { fallAsleep } from "../sleepers.ts";

const ENGINES = 1000;
const WORKERS = 4;
const SETTLE_MS = 5000;
const WINDOW_S = 30;

/** What a thousand sleeping engines cost: a daemon that has just found them again, against the same daemon before. */
export async function sleepers(site: Site): Promise<readonly Row[]> {
  const users = Array.from({ length: ENGINES }, (_, index) => `asleep-${index}`);
  const emptyMiB = await restarted(site);
  await inParallel(users, WORKERS, async (user) => {
    await site.provision(user);
    await fallAsleep(site, user);
  });
  const fullMiB = await restarted(site);
  const before = cpuSeconds(site.daemonPid);
  await pause(WINDOW_S * 1000);
  const cpu = ((cpuSeconds(site.daemonPid) - before) / WINDOW_S) * 100;
  const processes = site.engineProcesses();
  await inParallel(users, WORKERS, (user) => site.destroy(user));
  return [
    loneRow(`memory (PSS) that ${ENGINES} sleeping engines add to the daemon`, {
      value: fullMiB - emptyMiB,
      unit: "MiB",
      aim: "≤ 30 MiB",
    }),
    loneRow("… their processes", { value: processes, aim: "0" }),
    loneRow("… the daemon's CPU", { value: cpu, unit: "%", aim: "≤ 0.5 %" }),
  ];
}

/** The memory of a new daemon at rest. */
async function restarted(site: Site): Promise<number> {
  await site.stopDaemon("SIGTERM");
  await site.startDaemon();
  await untilHealthy(`${site.url}/ready`);
  await pause(SETTLE_MS);
  return proportionalMiB(site.daemonPid);
}
