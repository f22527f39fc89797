import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MemoryWriter } from "../../src/engine/memory/memory-writer.ts";
import { IndexMerging } from "../../src/engine/memory/search/index-merging.ts";
import { FullTextIndex } from "../../src/engine/memory/search/memory-index.ts";
import { openRelatedWords } from "../../src/engine/memory/search/related-words.ts";
import { MemorySearch } from "../../src/engine/memory/search/search-memory.ts";
import { WriteLane } from "../../src/engine/memory/write-lane.ts";
import { type Store, openStore } from "../../src/engine/store/open-store.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { generate } from "../memory/generate.ts";
import type { History, Question } from "../memory/history.ts";
import { SPLITS } from "../memory/splits.ts";
import { WORD_VECTORS } from "../memory/word-vectors.ts";
import { median, percentile } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";

const ROUNDS = 100_000;
/** Of so many histories the questions are asked, every third of them. */
const ASKED_HISTORIES = 40;
const WARM_UP = 50;
const MINUTE = 60_000;
const NEVER_BY_ITSELF = 2_000_000_000;

/** How much CPU time a search takes of English rounds, as turns wrote them and once their index was merged. */
export async function englishRounds(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "orchd-bench-english-"));
  const store = openStore(folder);
  try {
    const questions = fill(store).filter((_, at) => at % 3 === 0);
    const logger = createLogger("bench", "warn");
    const search = new MemorySearch(store, undefined, openRelatedWords(WORD_VECTORS, logger));
    const written = await ask(search, questions);
    const merging = new IndexMerging({ store, lane: new WriteLane(store), logger }, NEVER_BY_ITSELF);
    const began = process.cpuUsage();
    const longest = await longestTurn(merging.work());
    const mergedMs = cpuMs(began);
    await merging.close();
    const merged = await ask(search, questions);
    const ms = (what: string, value: number, aim: string) => loneRow(what, { value, unit: "ms", aim });
    return [
      ms(`the CPU time of a search of ${ROUNDS} English rounds, median`, median(written), "≤ 8 ms"),
      ms("… 95 of 100 within", percentile(written, 0.95), "≤ 15 ms"),
      ms("… once its index is merged, median", median(merged), "≤ 5 ms"),
      ms("… 95 of 100 within", percentile(merged, 0.95), "≤ 10 ms"),
      ms("the CPU time of that merge", mergedMs, "–"),
      ms("… the longest turn of the loop meanwhile, CPU time", longest, "≤ 50 ms"),
    ];
  } finally {
    store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each round in a transaction of its own, as a turn's end stores it. */
function fill(store: Store): readonly Question[] {
  const writer = new MemoryWriter(store, new FullTextIndex(store));
  const questions: Question[] = [];
  let written = 0;
  for (let index = 0; written < ROUNDS; index++) {
    const history = generate(SPLITS.dev, { seed: 1, index });
    if (index < ASKED_HISTORIES) questions.push(...history.questions);
    for (const round of roundsOf(history).slice(0, ROUNDS - written)) {
      store.transaction(() => writer.round(round));
      written++;
    }
  }
  return questions;
}

function roundsOf({ id, conversations }: History) {
  const usage = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };
  const how = { steps: [], trust: 1, outcome: "completed", errorCode: null, usage } as const;
  return conversations.flatMap(({ id: conversation, date, rounds }) =>
    rounds.map(({ id: round, user: question, assistant: answer }, at) => {
      const times = { startedAt: Date.parse(date) + at * MINUTE, endedAt: Date.parse(date) + at * MINUTE };
      return { taskId: `${id}/${conversation}`, turnId: `${id}/${round}`, question, answer, ...times, ...how };
    }),
  );
}

async function ask(search: MemorySearch, questions: readonly Question[]): Promise<readonly number[]> {
  const took: number[] = [];
  for (const { text, now } of questions) {
    const began = process.cpuUsage();
    await search.search({ query: text, limit: 10, now: Date.parse(now) });
    took.push(cpuMs(began));
  }
  // The first ones are slow for the compiler's sake.
  return took.slice(WARM_UP);
}

/** The CPU time of the longest turn of the loop until the work is done: others' load does not count. */
async function longestTurn(work: Promise<void>): Promise<number> {
  const over = work.then(() => true);
  let longest = 0;
  for (let isOver = false; !isOver;) {
    const began = process.threadCpuUsage();
    // A timer, and not `setImmediate`: it must not compute while the work waits for the disk.
    isOver = await Promise.race([over, sleep(1, false)]);
    const { user, system } = process.threadCpuUsage(began);
    longest = Math.max(longest, (user + system) / 1000);
  }
  return longest;
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
