import { startEngine } from "../engine.ts";
import { open, percentile } from "../measure.ts";
import { type Row, difference } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 5;
const TURNS = 200;

/** What the row of a message with an id adds to the first event of its turn. Floor: the same engine without one. */
export async function inbox(site: Site): Promise<readonly Row[]> {
  const engine = await startEngine(site);
  const rounds: { ours: number; theirs: number }[] = [];
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    const found = { ours: [] as number[], theirs: [] as number[] };
    // One of each in turn, so that the machine's load is the same for both.
    for (let turn = 0; turn < TURNS; turn++) {
      const body = { task_id: `inbox-${round}-${turn}`, message: "/say hello" };
      found.theirs.push(await firstEvent(engine, { ...body, task_id: `${body.task_id}-plain` }));
      found.ours.push(await firstEvent(engine, { ...body, when_busy: "queue", message_id: `m${turn}` }));
    }
    if (round > 0) rounds.push({ ours: percentile(found.ours, 0.5), theirs: percentile(found.theirs, 0.5) });
  }
  await engine.stop();
  return [
    difference("first event of a turn whose message has a row in the inbox, median", {
      ours: rounds.map(({ ours }) => ours),
      theirs: rounds.map(({ theirs }) => theirs),
      unit: "ms",
      aim: "≤ 0.3 ms more",
    }),
  ];
}

async function firstEvent(engine: Awaited<ReturnType<typeof startEngine>>, body: object): Promise<number> {
  const since = performance.now();
  const stream = await open(`${engine.url}/execute`, engine.request(body));
  let ms: number | null = null;
  for await (const _ of stream) ms ??= performance.now() - since;
  if (ms === null || stream.statusCode !== 200) throw new Error(`the turn was answered with ${stream.statusCode}`);
  return ms;
}
