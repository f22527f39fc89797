import { readdirSync } from "node:fs";
import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { call, cpuSeconds, median, percentile, proportionalMiB } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import type { Site } from "../site.ts";
import { RUNNING, STOPPED, fillHost } from "./many-rows-fill.ts";

const ENGINES = 10_000;
const EVENTS = 100_000;
/** Engines have ports of an address of their own, where no other program listens on 10,000 of them. */
const SETTINGS = { ORCH_HOST: "127.0.0.9", ORCH_PORT_MIN: "20000", ORCH_PORT_MAX: "32700", ORCH_MAX_AWAKE: "500" };
/** With the most CPU time in milliseconds that a call may cost. */
const REPORTS = { "/metrics": 58, "/admin/status": 37 };
const CALLS = 100;
const PAGE = 200;
const STARTS = 3;
const SETTLE_MS = 5000;
const WINDOW_S = 30;

/** What a daemon needs that has ten thousand engines, of which a hundred run: for its calls, its start and at rest. */
export async function manyRows(site: Site): Promise<readonly Row[]> {
  await site.stopDaemon("SIGTERM");
  await site.startDaemon(SETTINGS);
  const emptyMiB = await memoryAtRest(site);
  await fillHost(site, { engines: ENGINES, events: EVENTS });
  await site.stopDaemon("SIGTERM");
  const starts: { readonly ms: number; readonly cpuMs: number }[] = [];
  for (let round = 0; round < STARTS; round++) {
    const ms = await site.startDaemon(SETTINGS);
    starts.push({ ms, cpuMs: cpuSeconds(site.daemonPid) * 1000 });
    await allHeld(site);
    if (round < STARTS - 1) await site.stopDaemon("SIGKILL");
  }
  const fullMiB = await memoryAtRest(site);
  const rows = [
    loneRow(`the start of a daemon with ${ENGINES} engines, ${RUNNING} of them running, to ready`, {
      value: median(starts.map(({ ms }) => ms)),
      unit: "ms",
      aim: "≤ 2000 ms",
    }),
    loneRow("… its CPU", { value: median(starts.map(({ cpuMs }) => cpuMs)), unit: "ms", aim: "–" }),
    loneRow("… the memory (PSS) that they add to it", { value: fullMiB - emptyMiB, unit: "MiB", aim: "≤ 200 MiB" }),
    loneRow("… its open descriptors", { value: readdirSync(`/proc/${site.daemonPid}/fd`).length, aim: "≤ 21000" }),
    ...(await lists(site)),
    ...(await reports(site)),
    ...(await firstData(site)),
    await atRest(site),
  ];
  await site.stopDaemon("SIGTERM");
  await site.killEngines();
  await site.query("delete from engines where user_id like 'row-%'");
  await site.query("delete from events where user_id like 'row-%'");
  await site.startDaemon();
  return rows;
}

/** Waits until the daemon holds the sockets of the sleeping engines, which it does after it is ready. */
async function allHeld(site: Site): Promise<void> {
  while (readdirSync(`/proc/${site.daemonPid}/fd`).length < 2 * (ENGINES - RUNNING - STOPPED)) await pause(20);
}

/** Every page of three lists, one after the other, as a client reads them. */
async function lists(site: Site): Promise<readonly Row[]> {
  const agent = new Agent({ keepAlive: true });
  const admin = { headers: { "x-admin-key": site.adminKey }, agent };
  const product = { headers: site.platform, agent };
  const rows = [
    ...pageRows("of every product", await allPages(site, "/admin/engines", admin)),
    ...pageRows("of a product", await allPages(site, "/engines", product)),
    ...pageRows("of its sleeping engines", await allPages(site, "/engines?state=sleeping", product)),
  ];
  agent.destroy();
  return rows;
}

interface Pages {
  readonly times: readonly number[];
  readonly cpuMs: number;
}

const pageRows = (whose: string, { times, cpuMs }: Pages): readonly Row[] => [
  loneRow(`a page of ${PAGE} engines ${whose}, 95 of 100 within`, {
    value: percentile(times, 0.95),
    unit: "ms",
    aim: "≤ 20 ms",
  }),
  loneRow("… the daemon's CPU", { value: cpuMs, unit: "ms", aim: "≤ 10 ms" }),
];

async function allPages(
  site: Site,
  path: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly agent: Agent },
): Promise<Pages> {
  const times: number[] = [];
  const first = `${site.url}${path}${path.includes("?") ? "&" : "?"}limit=${PAGE}`;
  const before = cpuSeconds(site.daemonPid);
  let cursor: string | null = "";
  while (cursor !== null) {
    const began = performance.now();
    const { status, body } = await call(cursor === "" ? first : `${first}&cursor=${cursor}`, request);
    times.push(performance.now() - began);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
    cursor = (JSON.parse(body) as { next_cursor: string | null }).next_cursor;
  }
  return { times, cpuMs: ((cpuSeconds(site.daemonPid) - before) / times.length) * 1000 };
}

async function reports(site: Site): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [path, mostMs] of Object.entries(REPORTS)) {
    const { times, cpuMs } = await measure(site, path);
    const what = `the daemon's CPU for a GET ${path} with ${ENGINES} engines`;
    rows.push(
      loneRow(what, { value: cpuMs, unit: "ms", aim: `≤ ${mostMs} ms` }),
      loneRow("… 95 of 100 within", { value: percentile(times, 0.95), unit: "ms", aim: "≤ 100 ms" }),
    );
  }
  return rows;
}

/** What the console reads before it shows the fleet: products, every engine, and the host's status. */
async function firstData(site: Site): Promise<readonly Row[]> {
  const request = { headers: { "x-admin-key": site.adminKey }, agent: new Agent({ keepAlive: true }) };
  const before = cpuSeconds(site.daemonPid);
  const began = performance.now();
  await Promise.all([
    allPages(site, "/products", request),
    allPages(site, "/admin/engines", request),
    call(`${site.url}/admin/status`, request),
    call(`${site.url}/admin/samples`, request),
  ]);
  const took = performance.now() - began;
  request.agent.destroy();
  return [
    loneRow("the first data of the console", { value: took, unit: "ms", aim: "≤ 2000 ms" }),
    loneRow("… the daemon's CPU", { value: (cpuSeconds(site.daemonPid) - before) * 1000, unit: "ms", aim: "–" }),
  ];
}

/** The time of each call, and the CPU time of the daemon for one. */
async function measure(
  site: Site,
  path: string,
): Promise<{ readonly times: readonly number[]; readonly cpuMs: number }> {
  const headers = { "x-admin-key": site.adminKey };
  const times: number[] = [];
  const before = cpuSeconds(site.daemonPid);
  for (let round = 0; round < CALLS; round++) {
    const began = performance.now();
    const { status } = await call(`${site.url}${path}`, { headers });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    times.push(performance.now() - began);
  }
  return { times, cpuMs: ((cpuSeconds(site.daemonPid) - before) / CALLS) * 1000 };
}

async function atRest(site: Site): Promise<Row> {
  await pause(SETTLE_MS);
  const before = cpuSeconds(site.daemonPid);
  await pause(WINDOW_S * 1000);
  const idle = ((cpuSeconds(site.daemonPid) - before) / WINDOW_S) * 100;
  return loneRow("… its CPU with nobody calling", { value: idle, unit: "%", aim: "≤ 2 %" });
}

async function memoryAtRest(site: Site): Promise<number> {
  await pause(SETTLE_MS);
  return proportionalMiB(site.daemonPid);
}
