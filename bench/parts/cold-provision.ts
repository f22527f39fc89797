import { end, startServer, timed } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 15;
/** The first rounds fill caches that a machine fills once. */
const WARM_UP = 2;

/** From the call to the answer that carries a healthy engine's key, against starting a bare server. */
export async function coldProvision(site: Site): Promise<readonly Row[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const floorMs = await timed(async () => {
      const { child } = await startServer("bare-server.cjs");
      return () => end(child);
    });
    const oursMs = await timed(async () => {
      await site.provision(`cold-${round}`);
      return () => site.destroy(`cold-${round}`);
    });
    if (round < WARM_UP) continue;
    ours.push(oursMs);
    theirs.push(floorMs);
  }
  return [row("cold provision, call to healthy answer", { ours, theirs, unit: "ms", aim: "≤ 2.0" })];
}
