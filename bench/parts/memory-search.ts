import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FullTextIndex } from "../../src/engine/memory/memory-index.ts";
import { MemorySearch } from "../../src/engine/memory/memory-search.ts";
import { MemoryRecord } from "../../src/engine/memory/record.ts";
import { type Store, openStore } from "../../src/engine/store/open-store.ts";
import { median, percentile } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";

const ITEMS = 100_000;
const IN_ONE_TRANSACTION = 500;
/** The last of them are stored as a turn's end stores them: each in a transaction of its own. */
const ONE_BY_ONE = 1000;
const QUERIES = 600;
const WORDS = 40_000;
const MINUTE = 60_000;
const BEGAN = Date.UTC(2026, 0, 1);

/** How long the memory of a long life takes to be searched and written, within the engine's own process. */
export async function memorySearch(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "orchd-bench-memory-"));
  const store = openStore(folder);
  try {
    const speech = new Speech();
    const writes = fill(store, speech);
    const took = await ask(new MemorySearch(store), speech);
    store.db.exec("pragma wal_checkpoint(truncate)");
    const { size } = await stat(join(folder, "engine.db"));
    const ms = (value: number, what: string, aim: string) => loneRow(what, { value, unit: "ms", aim });
    return [
      ms(median(took), `a search of ${ITEMS} items, median`, "≤ 5"),
      ms(percentile(took, 0.95), "… 95th percentile", "≤ 20"),
      ms(median(writes), "a round written into it, median", "≤ 1"),
      loneRow("the file's growth a round", { value: size / ITEMS / 1024, unit: "KiB", aim: "–" }),
    ];
  } finally {
    store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function fill(store: Store, speech: Speech): readonly number[] {
  const record = new MemoryRecord(store, new FullTextIndex(store));
  const took: number[] = [];
  let number = 0;
  const add = () => {
    const startedAt = BEGAN + number * MINUTE;
    record.round({
      ...{ taskId: `task-${Math.floor(number / 10)}`, turnId: `turn-${number}`, startedAt, endedAt: startedAt },
      ...{
        question: speech.say(20),
        answer: speech.say(80),
        steps: [],
        trust: 1,
        outcome: "completed",
        errorCode: null,
      },
      usage: { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 },
    });
    number++;
  };
  while (number < ITEMS - ONE_BY_ONE) {
    store.transaction(() => {
      for (let at = 0; at < IN_ONE_TRANSACTION && number < ITEMS - ONE_BY_ONE; at++) add();
    });
  }
  while (number < ITEMS) {
    const began = performance.now();
    store.transaction(add);
    took.push(performance.now() - began);
  }
  return took;
}

async function ask(search: MemorySearch, speech: Speech): Promise<readonly number[]> {
  const took: number[] = [];
  const now = BEGAN + ITEMS * MINUTE;
  for (let asked = 0; asked < QUERIES; asked++) {
    const query = `What did I say about the ${speech.say(2 + (asked % 5))}${asked % 3 === 0 ? " last month" : ""}?`;
    const began = performance.now();
    await search.search({ query, limit: 10, now });
    took.push(performance.now() - began);
  }
  // The first ones are slow for the compiler's sake.
  return took.slice(QUERIES / 6);
}

/** Words as languages have them: few are in every sentence, most are rare. */
class Speech {
  readonly #words: readonly string[];
  #seed = 1;

  constructor() {
    const syllables = [
      "ka",
      "to",
      "mi",
      "ren",
      "sol",
      "ba",
      "lu",
      "pin",
      "ga",
      "dor",
      "ve",
      "shi",
      "nar",
      "eo",
      "qua",
      "zel",
    ];
    this.#words = Array.from({ length: WORDS }, (_, number) =>
      (number + 16).toString(16).replaceAll(/./g, (digit) => syllables[Number.parseInt(digit, 16)] ?? ""),
    );
  }

  say(length: number): string {
    return Array.from({ length }, () => this.#words[this.#rank()]).join(" ");
  }

  #rank(): number {
    return Math.min(WORDS - 1, Math.floor(WORDS ** this.#next()) - 1);
  }

  /** Mulberry32. */
  #next(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
