import { end, open, percentile, startServer, timed } from "../measure.ts";
import { type Row, row } from "../report.ts";
import { fallAsleep, lastCallHeaders } from "../sleepers.ts";
import type { Engine, Site } from "../site.ts";

const ROUNDS = 100;
const WARM_UP = 5;

/** From a call on the address of an engine that sleeps to the first event of its turn, against starting a bare server. */
export async function sleep(site: Site): Promise<readonly Row[]> {
  const engine = await site.provision("sleeper");
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const floorMs = await timed(async () => {
      const { child } = await startServer("bare-server.cjs");
      return () => end(child);
    });
    await fallAsleep(site, engine.user_id);
    const wakeMs = await firstEvent(engine, round);
    if (round < WARM_UP) continue;
    ours.push(wakeMs);
    theirs.push(floorMs);
  }
  await site.destroy(engine.user_id);
  const slowest = { ours: [percentile(ours, 0.99)], theirs: [percentile(theirs, 0.5)] };
  return [
    row("wake of a sleeping engine, direct call to first event", { ours, theirs, unit: "ms", aim: "≤ 1.5" }),
    row("… 99 of 100 within, against the floor's median", { ...slowest, unit: "ms", aim: "≤ 3" }),
  ];
}

/** Milliseconds to the first event. The turn is read to its end, so that the engine may sleep again. */
export async function firstEvent({ url, engine_api_key: key }: Engine, round: number): Promise<number> {
  const began = performance.now();
  const body = { task_id: `wake-${round}`, message: "/say Hello." };
  const stream = await open(`${url}/execute`, { method: "POST", headers: lastCallHeaders(key), body });
  let firstMs: number | undefined;
  let received = "";
  for await (const chunk of stream) {
    received ||= String(chunk);
    if (String(chunk).includes("event: ")) firstMs ??= performance.now() - began;
  }
  if (firstMs === undefined) throw new Error(`the engine answered ${stream.statusCode} without an event: ${received}`);
  return firstMs;
}
