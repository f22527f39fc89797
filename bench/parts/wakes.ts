import { setTimeout as pause } from "node:timers/promises";
import { call, inParallel, open, percentile } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import type { Engine, Site } from "../site.ts";
import { fallAsleep, lastCallHeaders } from "../sleepers.ts";

const ENGINES = 1000;
const WORKERS = 4;
const WAKES_PER_S = 5;
const MINUTES = Number(process.env["BENCH_MINUTES"] ?? 10);
const IDLE_STOP_S = 10;

/** A thousand users who sleep after ten idle seconds, five of them called every second, whoever they are. */
export async function wakes(site: Site): Promise<readonly Row[]> {
  await site.setPolicy({ idle_stop_s: IDLE_STOP_S });
  const engines: Engine[] = [];
  const users = Array.from({ length: ENGINES }, (_, index) => `user-${index}`);
  await inParallel(users, WORKERS, async (user) => {
    engines.push(await site.provision(user));
    await fallAsleep(site, user);
  });
  const waits: number[] = [];
  const lost: string[] = [];
  let mostAwake = 0;
  const calls: Promise<void>[] = [];
  const slots = MINUTES * 60 * WAKES_PER_S;
  const began = performance.now();
  for (let slot = 0; slot < slots; slot++) {
    await pause(Math.max(0, began + (slot * 1000) / WAKES_PER_S - performance.now()));
    const engine = engines[Math.floor(Math.random() * engines.length)];
    if (engine === undefined) continue;
    calls.push(
      turn(engine, `turn-${slot}`).then(
        (ms) => void waits.push(ms),
        (error: unknown) => void lost.push(String(error)),
      ),
    );
    if (slot % WAKES_PER_S === 0) mostAwake = Math.max(mostAwake, site.engineProcesses());
  }
  await Promise.all(calls);
  const stored = await storedTurns(engines);
  await site.setPolicy({ idle_stop_s: 0 });
  await inParallel(users, WORKERS, (user) => site.destroy(user));
  for (const reason of new Set(lost)) process.stderr.write(`lost: ${reason}\n`);
  return [
    loneRow(`calls of ${ENGINES} users, ${WAKES_PER_S} a second for ${MINUTES} min`, { value: slots, aim: "–" }),
    loneRow("… lost", { value: lost.length, aim: "0" }),
    loneRow("… turns lost", { value: slots - lost.length - stored, aim: "0" }),
    loneRow("… first event, median", { value: percentile(waits, 0.5), unit: "ms", aim: "–" }),
    loneRow("… 99 of 100 within", { value: percentile(waits, 0.99), unit: "ms", aim: "≤ 400 ms" }),
    loneRow("… most engines awake", { value: mostAwake, aim: "–" }),
  ];
}

/** Milliseconds to the first event of a turn that completes. */
async function turn({ url, engine_api_key: key }: Engine, id: string): Promise<number> {
  const began = performance.now();
  const body = { task_id: id, message: "/say Hello." };
  const stream = await open(`${url}/execute`, { method: "POST", headers: lastCallHeaders(key), body });
  let firstMs: number | undefined;
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    text += String(chunk);
    if (text.includes("event: ")) firstMs ??= performance.now() - began;
  }
  if (firstMs === undefined || !text.includes('"phase":"completed"'))
    throw new Error(`answered ${stream.statusCode} ${text.slice(-200)}`);
  return firstMs;
}

/** The completed turns that the engines still know. It wakes each of them. */
async function storedTurns(engines: readonly Engine[]): Promise<number> {
  let completed = 0;
  await inParallel(engines, WORKERS, async ({ url, engine_api_key: key }) => {
    const { body } = await call(`${url}/execute/replay?limit=10000`, { headers: { "x-engine-key": key } });
    completed += body.split('"phase":"completed"').length - 1;
  });
  return completed;
}
