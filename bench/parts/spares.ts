import { timeClaim } from "../claimed-engine.ts";
import { end, median, percentile, startServer, timed } from "../measure.ts";
import { type Row, loneRow, row } from "../report.ts";
import { fallAsleep } from "../sleepers.ts";
import type { Site } from "../site.ts";
import { firstEvent } from "./sleep.ts";

const ROUNDS = 40;
const WARM_UP = 3;

/** Starts of engines that find a spare, against starting a bare server beside each. */
export async function spares(site: Site): Promise<readonly Row[]> {
  await site.stopDaemon("SIGTERM");
  await site.startDaemon({ ORCH_WARM_ENGINES: "1" });
  const claims: number[] = [];
  const waiting: number[] = [];
  const provisions: number[] = [];
  const wakes: number[] = [];
  const floors: number[] = [];
  await site.sparesReady(1);
  const sleeper = await site.provision("warm-sleeper");
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const floorMs = await timed(async () => {
      const { child } = await startServer("bare-server.cjs");
      return () => end(child);
    });
    await fallAsleep(site, sleeper.user_id);
    await site.sparesReady(1);
    const wakeMs = await firstEvent(sleeper, round);
    await site.sparesReady(1);
    const provisionMs = await timed(async () => {
      await site.provision(`warm-${round}`);
      return () => site.destroy(`warm-${round}`);
    });
    // Its start would take the processor from the claim.
    await site.sparesReady(1);
    const { claimMs, waitingMiB } = await timeClaim(site);
    if (round < WARM_UP) continue;
    floors.push(floorMs);
    wakes.push(wakeMs);
    provisions.push(provisionMs);
    claims.push(claimMs);
    waiting.push(waitingMiB);
  }
  await site.destroy(sleeper.user_id);
  await site.stopDaemon("SIGTERM");
  await site.startDaemon();
  const slowest = { ours: [percentile(claims, 0.99)], theirs: [median(floors)] };
  return [
    row("claim of a spare, message to healthy answer", { ours: claims, theirs: floors, unit: "ms", aim: "≤ 10 ms" }),
    row("… 99 of 100 within, against the floor's median", { ...slowest, unit: "ms", aim: "≤ 25 ms" }),
    row("cold provision with a spare", { ours: provisions, theirs: floors, unit: "ms", aim: "≤ 1.25" }),
    row("wake with a spare, direct call to first event", { ours: wakes, theirs: floors, unit: "ms", aim: "≤ 1.5" }),
    loneRow("memory (PSS) of a spare that waits", { value: median(waiting), unit: "MiB", aim: "–" }),
  ];
}
