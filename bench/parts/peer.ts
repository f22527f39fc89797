import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { startEngine } from "../engine.ts";
import { type Call, cpuSeconds, end, open, percentile, residentMiB, startServer } from "../measure.ts";
import { peerIsInstalled, runOfPeer, startPeer } from "../peer.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";
import { WORDS, delays } from "./deltas.ts";

const STARTS = 4;
const IDLE_MS = 5000;
const SHORT_ROUNDS = 30;
const SHORT_WARM_UP = 10;
const ROUNDS = 6;
const WARM_UP = 3;
const EVENTS = 20_000;
const TURNS_AT_ONCE = [20, 100] as const;
const WORD_ROUNDS = 2;
const aim = "–";

/** Engines in place of the floor: LangGraph's API server, which serves runs of an agent over HTTP as an engine does turns. */
export async function peer(site: Site): Promise<readonly Row[]> {
  if (!peerIsInstalled()) {
    process.stderr.write("peer not installed: npm ci --prefix bench/peer --ignore-scripts\n");
    return [];
  }
  return [...(await startsAndRests(site)), ...(await streams(site)), ...(await wordsOfMany(site))];
}

async function startsAndRests(site: Site): Promise<readonly Row[]> {
  const boot = { ours: [] as number[], theirs: [] as number[] };
  const memory = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < STARTS; round++) {
    const theirs = await startPeer(site);
    const ours = await startEngine(site);
    await sleep(IDLE_MS);
    // The first of each compiles what the others find.
    if (round > 0) {
      boot.theirs.push(theirs.bootMs);
      boot.ours.push(ours.bootMs);
      memory.theirs.push(residentMiB(theirs.pid));
      memory.ours.push(residentMiB(ours.pid));
    }
    await theirs.stop();
    await ours.stop();
  }
  return [
    row("LangGraph's API server: boot, start to healthy answer", { ...boot, unit: "ms", aim }),
    row("… resident memory, idle", { ...memory, unit: "MiB", aim }),
  ];
}

async function streams(site: Site): Promise<readonly Row[]> {
  const theirServer = await startPeer(site);
  const engine = await startEngine(site);
  const theirs = (words: number) =>
    read(`${theirServer.url}/threads/${randomUUID()}/runs/stream`, runOfPeer("scripted", String(words)));
  const ours = (words: number) =>
    read(`${engine.url}/execute`, engine.request({ task_id: randomUUID(), message: `/stream ${words}` }));
  const short = await inTurns(SHORT_ROUNDS, SHORT_WARM_UP, { ours: () => ours(1), theirs: () => theirs(1) });
  const long = await inTurns(ROUNDS, WARM_UP, { ours: () => ours(EVENTS), theirs: () => theirs(EVENTS) });
  await theirServer.stop();
  await engine.stop();
  const rate = ({ events, firstMs, lastMs }: Reading) => events / ((lastMs - firstMs) / 1000);
  return [
    row("… first event of a run", { ...both(short, ({ firstMs }) => firstMs), unit: "ms", aim }),
    row("… end of a run of one word", { ...both(short, ({ endMs }) => endMs), unit: "ms", aim }),
    row("… events of a long run", { ...both(long, rate), unit: "/s", aim }),
  ];
}

/** Its workers do one run at a time each: it gets as many as there are runs. */
async function wordsOfMany(site: Site): Promise<readonly Row[]> {
  const model = await startServer("model-server.mjs");
  const modelUrl = `${model.url}/v1`;
  const engine = await startEngine(site, {
    LLM_PROVIDER: "openai-compatible",
    LLM_BASE_URL: modelUrl,
    LLM_MODEL: "bench",
  });
  const rows: Row[] = [];
  for (const turns of TURNS_AT_ONCE) {
    const theirServer = await startPeer(site, { workers: turns, modelUrl });
    const found = await inTurns(WORD_ROUNDS, 1, {
      theirs: () =>
        costOf(theirServer.pid, turns, () =>
          open(`${theirServer.url}/threads/${randomUUID()}/runs/stream`, runOfPeer("remote", WORDS)),
        ),
      ours: () =>
        costOf(engine.pid, turns, () =>
          open(`${engine.url}/execute`, engine.request({ task_id: randomUUID(), message: WORDS })),
        ),
    });
    await theirServer.stop();
    const rowOf = (what: string, figure: (one: Cost) => number, unit: string): Row =>
      row(what, { ...both(found, figure), unit, aim });
    rows.push(
      rowOf(`… a word, ${turns} runs at once, median`, ({ delaysMs }) => percentile(delaysMs, 0.5), "ms"),
      rowOf("… … 95 of 100 within", ({ delaysMs }) => percentile(delaysMs, 0.95), "ms"),
      rowOf("… … processor time for a word", ({ cpuS }) => (cpuS * 1e6) / (turns * Number.parseInt(WORDS)), "µs"),
    );
  }
  await engine.stop();
  await end(model.child);
  return rows;
}

interface Cost {
  readonly delaysMs: readonly number[];
  /** The server's processor time, for the words that nobody counts as well. */
  readonly cpuS: number;
}

async function costOf(pid: number, turns: number, begin: () => ReturnType<typeof open>): Promise<Cost> {
  const before = cpuSeconds(pid);
  const delaysMs = await delays(begin, turns);
  return { delaysMs, cpuS: cpuSeconds(pid) - before };
}

interface Both<T> {
  readonly ours: readonly T[];
  readonly theirs: readonly T[];
}

/** One after the other, so that each pair meets the same machine; the rounds before are for both sides' compilers. */
async function inTurns<T>(
  rounds: number,
  warmUp: number,
  sides: { readonly ours: () => Promise<T>; readonly theirs: () => Promise<T> },
): Promise<Both<T>> {
  const ours: T[] = [];
  const theirs: T[] = [];
  for (let round = 0; round < rounds + warmUp; round++) {
    const their = await sides.theirs();
    const our = await sides.ours();
    if (round < warmUp) continue;
    theirs.push(their);
    ours.push(our);
  }
  return { ours, theirs };
}

const both = <T>({ ours, theirs }: Both<T>, figure: (one: T) => number): Both<number> => ({
  ours: ours.map(figure),
  theirs: theirs.map(figure),
});

interface Reading {
  readonly events: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly endMs: number;
}

/** Reads a run to its end: when its first event came, its last one, and the end of the stream. */
async function read(address: string, request: Call): Promise<Reading> {
  const began = performance.now();
  let [events, firstMs, lastMs] = [0, Number.NaN, Number.NaN];
  const response = await open(address, request);
  for await (const chunk of response) {
    // A frame names its event once, at its beginning; that it may be cut in two there is one in thousands.
    const found = (chunk as Buffer).toString("latin1").split("event: ").length - 1;
    if (found === 0) continue;
    events += found;
    lastMs = performance.now() - began;
    if (Number.isNaN(firstMs)) firstMs = lastMs;
  }
  if (events === 0) throw new Error(`${address} answered ${response.statusCode} and gave no events`);
  return { events, firstMs, lastMs, endMs: performance.now() - began };
}
