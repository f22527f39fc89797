import { setTimeout as sleep } from "node:timers/promises";
import { NOT_ISOLATED } from "../../src/contract/engine/launch-file.ts";
import { type BenchEngine, startEngine } from "../engine.ts";
import { open, residentMiB } from "../measure.ts";
import { type Row, difference, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 15;
/** The first rounds fill the compile cache. */
const WARM_UP = 3;
/** An engine that nobody calls loads the rest after its health. */
const SETTLE_MS = 1500;
const ISOLATED = { engine: true, tools: true, sockets: true, required: false, read: [] };

/** An engine that confines itself against one that does not: its boot, its memory before a tool runs, its first event. */
export async function isolation(site: Site): Promise<readonly Row[]> {
  const boots = rounds();
  const memory = rounds();
  const events = rounds();
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    // The order changes, so that neither always meets what the other leaves.
    const order = round % 2 === 0 ? [ISOLATED, NOT_ISOLATED] : [NOT_ISOLATED, ISOLATED];
    for (const kind of order) {
      const engine = await startEngine(site, {}, { isolation: kind });
      await sleep(SETTLE_MS);
      const side = kind === ISOLATED ? "ours" : "theirs";
      const MiB = residentMiB(engine.pid);
      // The first turn loads what a turn needs.
      await firstEvent(engine);
      const eventMs = await firstEvent(engine);
      await engine.stop();
      if (round < WARM_UP) continue;
      boots[side].push(engine.bootMs);
      memory[side].push(MiB);
      events[side].push(eventMs);
    }
  }
  return [
    row("boot of an isolated engine, against not isolated", { ...boots, unit: "ms", aim: "≤ 1.10" }),
    row("… its first event of /execute", { ...events, unit: "ms", aim: "≤ 1.10" }),
    difference("… its resident memory before tools are used", { ...memory, unit: "MiB", aim: "≤ 2 MiB more" }),
  ];
}

interface Samples {
  readonly ours: number[];
  readonly theirs: number[];
}
const rounds = (): Samples => ({ ours: [], theirs: [] });

/** Milliseconds from the call to the first event. */
async function firstEvent(engine: BenchEngine): Promise<number> {
  const began = performance.now();
  const response = await open(`${engine.url}/execute`, engine.request({ task_id: "isolation", message: "/say hello" }));
  let took: number | null = null;
  for await (const _chunk of response) took ??= performance.now() - began;
  return took ?? Number.NaN;
}
