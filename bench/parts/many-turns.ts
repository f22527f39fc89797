import { setTimeout as sleep } from "node:timers/promises";
import { startEngine } from "../engine.ts";
import { liveHeapMiB } from "../heap.ts";
import { call, freePort, inParallel, residentMiB } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import type { Site } from "../site.ts";

/** Until the first count caches fill and the compiler is at work: what comes behind it is growth. */
const COUNTS = [2000, 10_000] as const;
const AT_ONCE = 8;
const SETTLE_MS = 3000;

/** Whether an engine grows with the turns it has done: each is a task of its own with a text, a tool call and an answer. */
export async function manyTurns(site: Site): Promise<readonly Row[]> {
  const inspector = await freePort();
  const engine = await startEngine(
    site,
    { ENGINE_LOG_LEVEL: "WARN" },
    { nodeOptions: [`--inspect=127.0.0.1:${inspector}`] },
  );
  const resident: number[] = [];
  const live: number[] = [];
  let done = 0;
  for (const count of COUNTS) {
    const tasks = Array.from({ length: count - done }, (_, index) => `turn-${done + index}`);
    await inParallel(tasks, AT_ONCE, async (task_id) => {
      const message = 'Look.\n/tool list_files {"path":"."}\n/say Nothing there.';
      const { status, body } = await call(`${engine.url}/execute`, engine.request({ task_id, message }));
      if (status !== 200 || !body.includes('"phase":"completed"'))
        throw new Error(`a turn answered ${status}: ${body}`);
    });
    done = count;
    await sleep(SETTLE_MS);
    resident.push(residentMiB(engine.pid));
    live.push(await liveHeapMiB(inspector));
  }
  await engine.stop();
  const rowsOf = (what: string, [before = 0, after = 0]: readonly number[], aim: string): readonly Row[] => [
    loneRow(`${what} after ${COUNTS[0]} turns`, { value: before, unit: "MiB", aim: "–" }),
    loneRow(`… after ${COUNTS[1]} turns`, { value: after, unit: "MiB", aim }),
  ];
  return [...rowsOf("live heap", live, "≤ 1 MiB more"), ...rowsOf("resident memory", resident, "–")];
}
