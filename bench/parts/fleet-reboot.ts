import { setTimeout as sleep } from "node:timers/promises";
import { type Row, loneRow, row } from "../report.ts";
import type { Site } from "../site.ts";
import { troubles } from "./fleet-idle.ts";

const DEADLINE_MS = 180_000;
const POLL_MS = 100;

/** As after a restart of the machine: no engine lives, and the database knows processes of another boot. */
export async function reboot(
  site: Site,
  { engines, floorS }: { readonly engines: number; readonly floorS: number },
): Promise<readonly Row[]> {
  await site.stopDaemon("SIGTERM");
  await site.killEngines();
  const lastEvent = await site.count("select coalesce(max(seq), 0) from events");
  await site.query(
    `update engines set handle = handle || '{"bootId": "00000000-0000-4000-8000-000000000000"}',
      last_active_at = now() - random() * interval '1 day' where user_id like 'fleet-%'`,
  );
  const before = await troubles(site);
  const began = performance.now();
  await site.startDaemon();
  const running = "select count(distinct engine_id) from events where type = 'engine.running' and seq > $1";
  while ((await site.count(running, [lastEvent])) < engines) {
    if (performance.now() - began > DEADLINE_MS) throw new Error("the engines did not come up again");
    await sleep(POLL_MS);
  }
  const oursS = (performance.now() - began) / 1000;
  return [
    row(`${engines} engines after a restart of the machine`, {
      ours: [oursS],
      theirs: [floorS],
      unit: "s",
      aim: "≤ 2.0",
    }),
    loneRow("… places any of them was from the order of last use", {
      value: await displaced(site, lastEvent),
      aim: "≤ 5",
    }),
    loneRow("… restarts counted, engines missed", { value: (await troubles(site)) - before, aim: "0" }),
  ];
}

/** How far the start of an engine was, at most, from its place in the order of last use. */
async function displaced(site: Site, lastEvent: number): Promise<number> {
  return site.count(
    `select max(abs(came - wanted)) from (
      select row_number() over (order by seq) as came, row_number() over (order by last_active_at desc) as wanted
      from events join engines on engines.id = engine_id where type = 'engine.restarting' and seq > $1) as places`,
    [lastEvent],
  );
}
