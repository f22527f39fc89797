import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { end, freePort, timed, untilHealthy } from "../measure.ts";
import { type Row, loneRow, row } from "../report.ts";
import type { Site } from "../site.ts";
import { troubles } from "./fleet-idle.ts";

const ROUNDS = 3;

/** From a new daemon's start until it is ready with all engines of the killed one, against a start without any. */
export async function adoption(site: Site, engines: number): Promise<readonly Row[]> {
  const pids = await pidsOf(site);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push((await startElsewhere(site)) / 1000);
    await site.stopDaemon("SIGKILL");
    const before = await adopted(site);
    ours.push((await site.startDaemon()) / 1000);
    const found = (await adopted(site)) - before;
    if (found !== engines) throw new Error(`${found} of ${engines} engines were adopted`);
  }
  if ((await pidsOf(site)) !== pids) throw new Error("the engines are not the same processes any more");
  return [
    row(`${engines} engines adopted, start of the daemon to ready`, { ours, theirs, unit: "s", aim: "< 5 s" }),
    loneRow("engines missed, ended or restarted by then", { value: await troubles(site), aim: "0" }),
  ];
}

/** The start of a daemon that has no engines: on the same database, with a data folder of its own. */
async function startElsewhere(site: Site): Promise<number> {
  const port = await freePort();
  const dataDir = await mkdtemp(join(site.dataDir, "elsewhere-"));
  return timed(async () => {
    const daemon = site.launchDaemon(dataDir, port);
    await untilHealthy(`http://127.0.0.1:${port}/ready`);
    return () => end(daemon);
  });
}

const adopted = (site: Site): Promise<number> =>
  site.count("select count(*) from events where type = 'engine.adopted' and user_id like 'fleet-%'");

async function pidsOf(site: Site): Promise<string> {
  const rows = await site.query<{ pid: number }>(
    "select (handle ->> 'pid')::int as pid from engines where user_id like 'fleet-%' order by id",
  );
  return rows.map(({ pid }) => pid).join(" ");
}
