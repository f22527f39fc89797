import { startEngine } from "../engine.ts";
import { cpuSeconds, end, startServer, timed } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 15;
/** The first rounds fill caches that a machine fills once. */
const WARM_UP = 3;
/** An engine goes on loading when it is healthy, and writes down what it has compiled: the next one is to find it. */
const SETTLE_MS = 1500;

/**
 * From the start of an engine's process, on a new data folder, until it answers that it is healthy; beside a bare server's,
 * and the CPU time until then beside that of an engine that loads its bundle.
 */
export async function boot(site: Site): Promise<readonly Row[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const snapshotCpuMs: number[] = [];
  const bundleCpuMs: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const floorMs = await timed(async () => {
      const { child } = await startServer("bare-server.cjs");
      return () => end(child);
    });
    const engine = await startEngine(site);
    const cpuMs = cpuSeconds(engine.pid) * 1000;
    if (round < WARM_UP) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    await engine.stop();
    const bundle = await startEngine(site, {}, { isWithoutSnapshot: true });
    const ofBundleMs = cpuSeconds(bundle.pid) * 1000;
    if (round < WARM_UP) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    await bundle.stop();
    if (round < WARM_UP) continue;
    ours.push(engine.bootMs);
    theirs.push(floorMs);
    snapshotCpuMs.push(cpuMs);
    bundleCpuMs.push(ofBundleMs);
  }
  return [
    row("boot of an engine, start to healthy answer", { ours, theirs, unit: "ms", aim: "≤ 1.6" }),
    row("CPU of a boot from a snapshot, beside one that loads the bundle", {
      ours: snapshotCpuMs,
      theirs: bundleCpuMs,
      unit: "ms",
      aim: "≤ 0.5",
    }),
  ];
}
