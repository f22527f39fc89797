import { type Call, end, open, startServer } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const ROUNDS = 12;
/** Both sides run so often before they are measured: until then the compiler is at work. */
const WARM_UP = 4;
export const EVENTS = 20_000;
const SHORT_ROUNDS = 200;
const SHORT_WARM_UP = 50;

/** The first event after the call, and events a second once they flow, against a bare SSE writer. */
export async function streams(site: Site): Promise<readonly Row[]> {
  const engine = await site.provision("streamer");
  const bare = await startServer("bare-sse.mjs", { path: "/?events=1" });
  const execute = `${engine.url}/execute`;
  const request = (task_id: string, message: string): Call => ({
    method: "POST",
    headers: { "x-engine-key": engine.engine_api_key },
    body: { task_id, message },
  });
  const first: number[] = [];
  const bareFirst: number[] = [];
  for (let round = 0; round < SHORT_ROUNDS + SHORT_WARM_UP; round++) {
    const theirs = await firstEvent(`${bare.url}/?events=1`);
    const ours = await firstEvent(execute, request(`short-${round}`, "/say Hello."));
    if (round < SHORT_WARM_UP) continue;
    first.push(ours);
    bareFirst.push(theirs);
  }
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const theirRate = await rateOf(`${bare.url}/?events=${EVENTS}`);
    const ourRate = await rateOf(execute, request(`long-${round}`, `/stream ${EVENTS}`));
    if (round < WARM_UP) continue;
    ours.push(ourRate);
    theirs.push(theirRate);
  }
  await end(bare.child);
  await site.destroy("streamer");
  return [
    row("first event of /execute", { ours: first, theirs: bareFirst, unit: "ms", aim: "≤ 5 ms" }),
    row("events of /execute", { ours, theirs, unit: "/s", aim: "≥ 0.5" }),
  ];
}

/** Milliseconds until it comes; what is behind it is read as well. */
export async function firstEvent(address: string, request: Call = {}): Promise<number> {
  const began = performance.now();
  let firstMs: number | undefined;
  for await (const chunk of await open(address, request))
    if (String(chunk).includes("event: ")) firstMs ??= performance.now() - began;
  return firstMs ?? Number.NaN;
}

/** Events a second of a stream of {@link EVENTS}. */
export async function rateOf(address: string, request: Call = {}): Promise<number> {
  const began = performance.now();
  const response = await open(address, request);
  let events = 0;
  let before = "";
  for await (const chunk of response) {
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
  return events / ((performance.now() - began) / 1000);
}
