import type { Call } from "../measure.ts";
import { type Row, difference, row } from "../report.ts";
import type { Site } from "../site.ts";
import { EVENTS, firstEvent, rateOf } from "./streams.ts";

const ROUNDS = 12;
const SHORT_ROUNDS = 100;
/** Both ways run so often before they are measured: until then the compiler is at work. */
const WARM_UP = 4;

/** The same calls of one engine through the daemon and at its own port. */
export async function gateway(site: Site): Promise<readonly Row[]> {
  const engine = await site.provision("reached");
  const direct = `${engine.url}/execute`;
  const through = `${site.url}/e/${engine.id}/execute`;
  const request = (message: string): Call => ({
    method: "POST",
    headers: { "x-engine-key": engine.engine_api_key },
    body: { task_id: crypto.randomUUID(), message },
  });
  const first = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < SHORT_ROUNDS + WARM_UP; round++) {
    const theirs = await firstEvent(direct, request("/say Hello."));
    const ours = await firstEvent(through, request("/say Hello."));
    if (round < WARM_UP) continue;
    first.ours.push(ours);
    first.theirs.push(theirs);
  }
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const theirs = await rateOf(direct, request(`/stream ${EVENTS}`));
    const ours = await rateOf(through, request(`/stream ${EVENTS}`));
    if (round < WARM_UP) continue;
    rates.ours.push(ours);
    rates.theirs.push(theirs);
  }
  await site.destroy("reached");
  return [
    difference("first event through the gateway, against the engine's own port", {
      ...first,
      unit: "ms",
      aim: "≤ 1 ms more",
    }),
    row("events through the gateway", { ...rates, unit: "/s", aim: "≥ 0.5" }),
  ];
}
