import { setTimeout as pause } from "node:timers/promises";
import { cpuSeconds } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import type { Site } from "../site.ts";
import { fallAsleep } from "../sleepers.ts";

const SCHEDULES = 10_000;
const SETTLE_MS = 5000;
/** Longer than the time between two looks at the schedules. */
const WINDOW_S = 65;
const USER = "schedules";

/** What schedules that are not due add to the CPU of a daemon whose engine sleeps. */
export async function schedules(site: Site): Promise<readonly Row[]> {
  await site.provision(USER);
  await fallAsleep(site, USER);
  const before = await cpuPercent(site);
  // Due over the next days, each hour some hundreds.
  await site.query(
    `insert into schedules (id, engine_id, product_id, host_id, name, enabled, timing, message, missed, missed_limit,
       spread_s, next_due)
     select 'sch_bench-' || n, engines.id, product_id, host_id, 'schedule ' || n, true,
       '{"kind": "cron", "cron": "0 8 * * *", "time_zone": "Europe/Berlin"}'::jsonb, '/say hi', 'skip', 10, 0,
       now() + interval '1 hour' + n * interval '10 seconds'
     from engines, generate_series(1, $2::int) as n where user_id = $1`,
    [USER, SCHEDULES],
  );
  const after = await cpuPercent(site);
  await site.destroy(USER);
  return [
    loneRow(`the CPU that ${SCHEDULES} schedules add to an idle daemon`, {
      value: Math.max(0, after - before),
      unit: "%",
      aim: "≤ 0.5 %",
    }),
    loneRow("… with which the daemon uses", { value: after, unit: "%", aim: "–" }),
  ];
}

async function cpuPercent(site: Site): Promise<number> {
  await pause(SETTLE_MS);
  const before = cpuSeconds(site.daemonPid);
  await pause(WINDOW_S * 1000);
  return ((cpuSeconds(site.daemonPid) - before) / WINDOW_S) * 100;
}
