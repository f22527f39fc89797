import { setTimeout as pause } from "node:timers/promises";
import { call, inParallel, percentile } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import type { Engine, Site } from "../site.ts";
import { fallAsleep } from "../sleepers.ts";
import { firstEvent } from "./sleep.ts";

const ENGINES = 30;
const WORKERS = 4;
const WAKES_PER_S = Number(process.env["BENCH_WAKES_PER_S"] ?? 5);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 60);
/** What the daemon keeps by default. `BENCH_SPARES` measures another number, also with a daemon whose default is 0. */
const KEPT = process.env["BENCH_SPARES"] ?? "auto";

/** Sleeping engines that are called five times a second, one after the other: whether a spare waits for each wake. */
export async function spareWakes(site: Site): Promise<readonly Row[]> {
  await site.stopDaemon("SIGTERM");
  await site.startDaemon({ ORCH_WARM_ENGINES: KEPT });
  const engines: Engine[] = [];
  const users = Array.from({ length: ENGINES }, (_, index) => `spare-wake-${index}`);
  await inParallel(users, WORKERS, async (user) => {
    engines.push(await site.provision(user));
    await fallAsleep(site, user);
  });
  await site.sparesReady(1);
  const before = await claimed(site);
  const waits: number[] = [];
  const turns: Promise<void>[] = [];
  let refused = 0;
  const began = performance.now();
  for (let slot = 0; slot < SECONDS * WAKES_PER_S; slot++) {
    await pause(Math.max(0, began + (slot * 1000) / WAKES_PER_S - performance.now()));
    const engine = engines[slot % engines.length];
    if (engine !== undefined)
      turns.push(
        wake(site, engine, slot).then(
          (ms) => void waits.push(ms),
          (error: unknown) => {
            refused++;
            process.stderr.write(`${engine.user_id}, wake ${slot}: ${String(error)}\n`);
          },
        ),
      );
  }
  await Promise.all(turns);
  const found = (await claimed(site)) - before;
  await inParallel(users, WORKERS, (user) => site.destroy(user));
  await site.stopDaemon("SIGTERM");
  await site.startDaemon();
  return [
    loneRow(`of ${waits.length} wakes, ${WAKES_PER_S} a second, with the default spares: found one`, {
      value: found,
      aim: "≥ 90 %",
    }),
    loneRow("… refused", { value: refused, aim: "0" }),
    loneRow("… first event, median", { value: percentile(waits, 0.5), unit: "ms", aim: "–" }),
    loneRow("… 95 of 100 within", { value: percentile(waits, 0.95), unit: "ms", aim: "–" }),
  ];
}

async function wake(site: Site, engine: Engine, slot: number): Promise<number> {
  const ms = await firstEvent(engine, slot);
  await fallAsleep(site, engine.user_id);
  return ms;
}

/** Starts of engines that found a spare, since the start of the daemon. */
async function claimed(site: Site): Promise<number> {
  const { body } = await call(`${site.url}/metrics`, { headers: { "x-admin-key": site.adminKey } });
  return Number(/^orch_spare_claims_total\{outcome="claimed"\} (\d+)$/m.exec(body)?.[1] ?? 0);
}
