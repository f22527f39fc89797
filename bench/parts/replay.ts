import { startEngine } from "../engine.ts";
import { type Call, end, open, startServer } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 12;
const WARM_UP = 4;
const EVENTS = 20_000;
/** So that no two of a turn's events can be put together when they are read. */
const BLOCKS = 4000;
/** Beside a block's own: its beginning and its end. */
const PER_BLOCK = 3;

/** Stored events a second as a reader gets them again, against a bare SSE writer that has nothing to read. */
export async function replay(site: Site): Promise<readonly Row[]> {
  const engine = await startEngine(site);
  const bare = await startServer("bare-sse.mjs", { path: "/?events=1" });
  const message = "/say word\n".repeat(BLOCKS);
  for (const [task_id, text] of [
    ["stream", `/stream ${EVENTS}`],
    ["blocks", message],
  ])
    await read(`${engine.url}/execute`, engine.request({ task_id, message: text }));
  const again = (task: string) => `${engine.url}/execute/replay?task_id=${task}`;
  const request = { ...engine.request() };
  const asStream = { ...request, headers: { ...request.headers, accept: "text/event-stream" } };
  const rates = { stream: [] as number[], blocks: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const bareMs = await read(`${bare.url}/?events=${EVENTS}`);
    const streamMs = await read(again("stream"), asStream);
    const blocksMs = await read(again("blocks"), asStream);
    if (round < WARM_UP) continue;
    rates.bare.push(perSecond(EVENTS, bareMs));
    rates.stream.push(perSecond(EVENTS, streamMs));
    rates.blocks.push(perSecond(BLOCKS * PER_BLOCK, blocksMs));
  }
  await end(bare.child);
  await engine.stop();
  const theirs = rates.bare;
  return [
    row("stored events replayed, one by one", { ours: rates.blocks, theirs, unit: "/s", aim: "≥ 20000 /s" }),
    row("… deltas, put together on the way", { ours: rates.stream, theirs, unit: "/s", aim: "≥ 20000 /s" }),
  ];
}

const perSecond = (events: number, ms: number): number => events / (ms / 1000);

/** How long it takes to read all there is. */
async function read(address: string, request: Call = {}): Promise<number> {
  const began = performance.now();
  const response = await open(address, request);
  let last = "";
  for await (const chunk of response) last = (last + String(chunk)).slice(-1000);
  if (response.statusCode !== 200 || !last.endsWith("}\n\n")) throw new Error(`${address} answered ${last}`);
  return performance.now() - began;
}
