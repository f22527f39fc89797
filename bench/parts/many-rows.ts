import { setTimeout as pause } from "node:timers/promises";
import { call, cpuSeconds, median } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import type { Site } from "../site.ts";

const ENGINES = 10_000;
const USER = "row";
/** With the most CPU time in milliseconds that a call may cost. */
const REPORTS = { "/metrics": 58, "/admin/status": 37 };
const CALLS = 100;
const SETTLE_MS = 5000;
const WINDOW_S = 30;

/** What a daemon with ten thousand stopped engines needs: for its reports, and with nobody calling. */
export async function manyRows(site: Site): Promise<readonly Row[]> {
  const engine = await site.provision(USER);
  await call(`${site.url}/engines/${USER}/stop`, { method: "POST", headers: site.platform, body: {} });
  // A copy for each of the others.
  await site.query(
    `insert into engines
     select (jsonb_populate_record(engines, jsonb_build_object(
       'id', id || '-' || n, 'user_id', user_id || '-' || n, 'incarnation', gen_random_uuid(), 'port', 40000 + n, 'uid', null))).*
     from engines, generate_series(1, $2::int) as n where id = $1`,
    [engine.id, ENGINES],
  );
  await site.query("analyze engines");
  await pause(SETTLE_MS);
  const rows: Row[] = [];
  for (const [path, mostMs] of Object.entries(REPORTS)) {
    const { ms, cpuMs } = await measure(site, path);
    rows.push(
      loneRow(`the daemon's CPU for a GET ${path} with ${ENGINES} engines`, {
        value: cpuMs,
        unit: "ms",
        aim: `≤ ${mostMs} ms`,
      }),
      loneRow("… median", { value: ms, unit: "ms", aim: "–" }),
    );
  }
  const before = cpuSeconds(site.daemonPid);
  await pause(WINDOW_S * 1000);
  const idle = ((cpuSeconds(site.daemonPid) - before) / WINDOW_S) * 100;
  rows.push(loneRow("… its CPU with nobody calling", { value: idle, unit: "%", aim: "≤ 1.4 %" }));
  await site.query("delete from engines where id like $1 || '-%'", [engine.id]);
  await site.destroy(USER);
  return rows;
}

/** The median time of a call, and the CPU time of the daemon for it. */
async function measure(site: Site, path: string): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const headers = { "x-admin-key": site.adminKey };
  const times: number[] = [];
  const before = cpuSeconds(site.daemonPid);
  for (let round = 0; round < CALLS; round++) {
    const began = performance.now();
    const { status } = await call(`${site.url}${path}`, { headers });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    times.push(performance.now() - began);
  }
  return { ms: median(times), cpuMs: ((cpuSeconds(site.daemonPid) - before) / CALLS) * 1000 };
}
