import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds, end, floor, proportionalMiB, residentMiB, start } from "../measure.ts";
import { type Row, loneRow, row } from "../report.ts";
import type { Site } from "../site.ts";

const SETTLE_MS = 5000;
const WINDOW_S = 30;
/** What the daemon asks its engines at, unless it is set otherwise. */
const INTERVAL_MS = 10_000;

/** What the daemon itself costs while nobody calls, against a loop that asks as many engines as often. */
export async function idleFleet(site: Site, engines: number): Promise<readonly Row[]> {
  const running = await site.query<{ pid: number; port: number }>(
    "select (handle ->> 'pid')::int as pid, port from engines where handle is not null",
  );
  const urls = running.map(({ port }) => `http://127.0.0.1:${port}/health`).join(" ");
  const bare = start([floor("bare-prober.mjs")], { URLS: urls, INTERVAL_MS: String(INTERVAL_MS) });
  const pids = { ours: [site.daemonPid], theirs: [bare.pid ?? 0] };
  await sleep(SETTLE_MS);
  const before = both(pids, cpuSeconds);
  await sleep(WINDOW_S * 1000);
  const after = both(pids, cpuSeconds);
  const share = (side: "ours" | "theirs") => [(((after[side][0] ?? 0) - (before[side][0] ?? 0)) / WINDOW_S) * 100];
  const rows = [
    row(`the daemon's CPU, ${engines} idle engines`, {
      ours: share("ours"),
      theirs: share("theirs"),
      unit: "%",
      aim: "≤ 2 %",
    }),
    row("… its resident memory", { ...both(pids, residentMiB), unit: "MiB", aim: "≤ 150 MiB" }),
    row("… with shared pages counted in part (PSS)", { ...both(pids, proportionalMiB), unit: "MiB", aim: "≤ 150 MiB" }),
    loneRow("PSS of one of those engines", {
      value: running.reduce((sum, { pid }) => sum + proportionalMiB(pid), 0) / running.length,
      unit: "MiB",
      aim: "–",
    }),
    loneRow("engines missed, ended or restarted since", { value: await troubles(site), aim: "0" }),
  ];
  await end(bare);
  return rows;
}

/** How often anything was wrong with an engine, or held against it. */
export async function troubles(site: Site): Promise<number> {
  const events = await site.count(
    `select count(*) from events where user_id like 'fleet-%'
      and type in ('engine.unhealthy', 'engine.crashed', 'engine.gave_up', 'engine.leaked', 'engine.destroyed')`,
  );
  const counted = await site.count("select coalesce(sum(restart_count), 0) from engines where user_id like 'fleet-%'");
  return events + counted;
}

function both(
  pids: { readonly ours: readonly number[]; readonly theirs: readonly number[] },
  of: (pid: number) => number,
): { readonly ours: readonly number[]; readonly theirs: readonly number[] } {
  return { ours: pids.ours.map(of), theirs: pids.theirs.map(of) };
}
