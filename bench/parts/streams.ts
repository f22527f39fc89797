import { type Call, end, open, startServer } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 12;
/** Both sides run so often before they are measured: until then the compiler is at work. */
const WARM_UP = 4;
const EVENTS = 20_000;

/** The first event after the call, and events a second once they flow, against a bare SSE writer. */
export async function streams(site: Site): Promise<readonly Row[]> {
  const engine = await site.provision("streamer");
  const bare = await startServer("bare-sse", { path: "/?events=1" });
  const first: number[] = [];
  const bareFirst: number[] = [];
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const theirRun = await readEvents(`${bare.url}/?events=${EVENTS}`);
    const ourRun = await readEvents(`${engine.url}/execute`, {
      method: "POST",
      headers: { "x-engine-key": engine.engine_api_key },
      body: { task_id: `bench-${round}`, message: `/stream ${EVENTS}` },
    });
    if (round < WARM_UP) continue;
    first.push(ourRun.firstMs);
    bareFirst.push(theirRun.firstMs);
    ours.push(ourRun.rate);
    theirs.push(theirRun.rate);
  }
  await end(bare.child);
  await site.destroy("streamer");
  return [
    row("first event of /execute", { ours: first, theirs: bareFirst, unit: "ms", aim: "≤ 20 ms" }),
    row("events of /execute", { ours, theirs, unit: "/s", aim: "≥ 0.5" }),
  ];
}

async function readEvents(address: string, wish: Call = {}): Promise<{ firstMs: number; rate: number }> {
  const began = performance.now();
  const response = await open(address, wish);
  let firstMs = 0;
  let events = 0;
  let before = "";
  for await (const chunk of response) {
    if (events === 0) firstMs = performance.now() - began;
    const text = before + (chunk as Buffer).toString("latin1");
    // A frame ends with an empty line, which may be cut in two.
    let at = text.indexOf("\n\n");
    let end = 0;
    for (; at !== -1; at = text.indexOf("\n\n", end)) {
      events++;
      end = at + 2;
    }
    before = text.slice(Math.max(end, text.length - 1));
  }
  if (events < EVENTS) throw new Error(`${address} gave ${events} events, not ${EVENTS}`);
  return { firstMs, rate: events / ((performance.now() - began) / 1000) };
}
