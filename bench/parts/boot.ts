import { startEngine } from "../engine.ts";
import { end, startServer, timed } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 15;
/** The first rounds fill caches that a machine fills once. */
const WARM_UP = 3;
/** An engine goes on loading when it is healthy, and writes down what it has compiled: the next one is to find it. */
const SETTLE_MS = 1500;

/** From the start of an engine's process, on a new data folder, until it answers that it is healthy. */
export async function boot(site: Site): Promise<readonly Row[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const floorMs = await timed(async () => {
      const { child } = await startServer("bare-server.cjs");
      return () => end(child);
    });
    const engine = await startEngine(site);
    if (round < WARM_UP) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    await engine.stop();
    if (round < WARM_UP) continue;
    ours.push(engine.bootMs);
    theirs.push(floorMs);
  }
  return [row("boot of an engine, start to healthy answer", { ours, theirs, unit: "ms", aim: "≤ 1.6" })];
}
