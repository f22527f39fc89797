import { setTimeout as sleep } from "node:timers/promises";
import { startEngine } from "../engine.ts";
import { type Call, end, open, percentile, startServer } from "../measure.ts";
import { type Row, difference } from "../report.ts";
import type { Site } from "../site.ts";

const TURNS = 100;
const RATE = 50;
const SECONDS = 6;
/** Of each stream: until then the compiler is at work. */
const WARM_UP_WORDS = 2 * RATE;
/** Streams do not all begin at once, but over the time between two words: else they would come together ever after. */
const APART_MS = 1000 / RATE;
const ROUNDS = 3;
/** What the model is told to say. */
export const WORDS = `${SECONDS * RATE + WARM_UP_WORDS} ${RATE}`;

/** What the engine adds to a word on its way from the model to the reader, with many turns at once. */
export async function deltas(site: Site): Promise<readonly Row[]> {
  const model = await startServer("model-server.mjs");
  const engine = await startEngine(site, {
    LLM_PROVIDER: "openai-compatible",
    LLM_BASE_URL: `${model.url}/v1`,
    LLM_MODEL: "bench",
  });
  const direct: Call = { method: "POST", body: { messages: [{ role: "user", content: WORDS }] } };
  const rounds: { ours: readonly number[]; theirs: readonly number[] }[] = [];
  // The first round is for both sides' compilers.
  for (let round = 0; round <= ROUNDS; round++) {
    const theirs = await delays(() => open(`${model.url}/v1/chat/completions`, direct));
    const ours = await delays((turn) =>
      open(`${engine.url}/execute`, engine.request({ task_id: `delta-${round}-${turn}`, message: WORDS })),
    );
    if (round > 0) rounds.push({ ours, theirs });
  }
  await engine.stop();
  await end(model.child);
  const rowOf = (what: string, share: number, aim: string): Row =>
    difference(what, {
      ours: rounds.map(({ ours }) => percentile(ours, share)),
      theirs: rounds.map(({ theirs }) => percentile(theirs, share)),
      unit: "ms",
      aim,
    });
  return [
    rowOf(`a word from model to reader, ${TURNS} turns at ${RATE} /s each, median`, 0.5, "≤ 1 ms more"),
    rowOf("… 95 of 100 within", 0.95, "≤ 5 ms more"),
  ];
}

/** How long each word was on its way, in ms. */
export async function delays(
  begin: (turn: number) => ReturnType<typeof open>,
  turns = TURNS,
): Promise<readonly number[]> {
  const found: number[] = [];
  await Promise.all(
    Array.from({ length: turns }, async (_, turn) => {
      await sleep((turn * APART_MS) / turns);
      let words = 0;
      for await (const chunk of await begin(turn)) {
        const now = process.hrtime.bigint();
        for (const [, at] of String(chunk).matchAll(/"(?:text|content)":"(\d+) "/g)) {
          if (words++ >= WARM_UP_WORDS) found.push(Number(now - BigInt(at ?? 0)) / 1e6);
        }
      }
      // One in a hundred may be cut in two by a packet.
      if (words < SECONDS * RATE) throw new Error(`a stream gave ${words} words`);
    }),
  );
  return found;
}
