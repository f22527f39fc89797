import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FullTextIndex } from "../../src/engine/memory/search/memory-index.ts";
import { MemorySearch } from "../../src/engine/memory/search/search-memory.ts";
import { MemoryWriter } from "../../src/engine/memory/memory-writer.ts";
import { type Store, openStore } from "../../src/engine/store/open-store.ts";
import { median, percentile } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";
import { Speech } from "../speech.ts";

const ITEMS = 100_000;
const IN_ONE_TRANSACTION = 500;
/** The last of them are stored as a turn's end stores them: each in a transaction of its own. */
const ONE_BY_ONE = 1000;
const QUERIES = 600;
const MINUTE = 60_000;
const BEGAN = Date.UTC(2026, 0, 1);
const GIB = 1024;
const OPENINGS = 5;

/** How long the memory of a long life takes to be searched, written and opened, within the engine's own process. */
export async function memorySearch(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "orchd-bench-memory-"));
  const store = openStore(folder);
  try {
    const speech = new Speech();
    const writes = fill(store, speech);
    const took = await ask(new MemorySearch(store), speech);
    store.db.exec("pragma wal_checkpoint(truncate)");
    const { size } = await stat(join(folder, "engine.db"));
    inflate(store);
    store.close();
    const opened = Array.from({ length: OPENINGS }, () => openOnce(folder));
    const ms = (what: string, value: number, aim: string) => loneRow(what, { value, unit: "ms", aim });
    return [
      ms(`a search of ${ITEMS} rounds, median`, median(took), "≤ 5 ms"),
      ms("… 95 of 100 within", percentile(took, 0.95), "≤ 20 ms"),
      ms("a round written into them, median", median(writes), "≤ 1 ms"),
      loneRow("what a round adds to the file", { value: size / ITEMS / 1024, unit: "KiB", aim: "–" }),
      ms("a file of 1 GiB opened", median(opened), "no wait"),
    ];
  } finally {
    if (store.db.isOpen) store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function fill(store: Store, speech: Speech): readonly number[] {
  const record = new MemoryWriter(store, new FullTextIndex(store));
  const usage = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };
  const how = { steps: [], trust: 1, outcome: "completed", errorCode: null, usage } as const;
  const took: number[] = [];
  const add = (number: number) => {
    const at = BEGAN + number * MINUTE;
    const place = { taskId: `task-${Math.floor(number / 10)}`, turnId: `turn-${number}`, startedAt: at, endedAt: at };
    record.round({ ...place, ...how, question: speech.say(20), answer: speech.say(80) });
  };
  for (let first = 0; first < ITEMS; first += IN_ONE_TRANSACTION) {
    const numbers = Array.from({ length: IN_ONE_TRANSACTION }, (_, at) => first + at);
    if (first < ITEMS - ONE_BY_ONE) store.transaction(() => numbers.forEach(add));
    else for (const number of numbers) took.push(timed(() => store.transaction(() => add(number))));
  }
  return took;
}

async function ask(search: MemorySearch, speech: Speech): Promise<readonly number[]> {
  const took: number[] = [];
  const now = BEGAN + ITEMS * MINUTE;
  for (let asked = 0; asked < QUERIES; asked++) {
    const query = `What did I say about the ${speech.say(4 + (asked % 8))}${asked % 3 === 0 ? " last month" : ""}?`;
    const began = performance.now();
    await search.search({ query, limit: 10, now });
    took.push(performance.now() - began);
  }
  // The first ones are slow for the compiler's sake.
  return took.slice(QUERIES / 6);
}

/** As an engine that has kept a great deal: what it opens must not depend on how much there is. */
function inflate({ db }: Store): void {
  const insert = db.prepare(
    "insert into messages (task_id, turn_id, thread, role, created_at, content) values ('large', 'large', 'a', 'tool', 1, zeroblob(1048576) || '')",
  );
  for (let mib = 0; mib < GIB; mib++) insert.run();
  db.exec("pragma wal_checkpoint(truncate)");
}

const openOnce = (folder: string): number => {
  let store: Store | undefined;
  const took = timed(() => (store = openStore(folder)));
  store?.close();
  return took;
};

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
