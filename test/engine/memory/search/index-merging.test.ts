import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { TaskForgetting } from "../../../../src/engine/memory/forget-task.ts";
import { IndexMerging } from "../../../../src/engine/memory/search/index-merging.ts";
import { MemorySearch } from "../../../../src/engine/memory/search/search-memory.ts";
import { WriteLane } from "../../../../src/engine/memory/write-lane.ts";
import { openStore } from "../../../../src/engine/store/open-store.ts";
import { createLogger } from "../../../../src/shared/logger.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { until } from "../../../helpers/until.ts";
import { remembering } from "../memory-bench.ts";

const NEVER_BY_ITSELF = 2_000_000_000;
const ROUNDS = 700;

/** A memory whose rounds were written one by one, as turns do. */
function manyRounds(t: Test) {
  const memory = remembering(t);
  const { tell } = memory;
  for (let round = 0; round < ROUNDS; round++) {
    const words = Array.from({ length: 60 }, (_, at) => `word${(round * 61 + at * 7919) % 20_011}`).join(" ");
    tell("2026-05-01", `About matter${round}: ${words}`, `Noted under ${words}`);
  }
  return told(t, memory);
}

function told(t: Test, memory: ReturnType<typeof remembering>) {
  const { store } = memory;
  const segments = () =>
    Number(store.db.prepare("select count(distinct segid) as n from memory_index_idx").get()?.["n"]);
  const open = (everyMs = NEVER_BY_ITSELF, lane = new WriteLane(store)) => {
    const merging = new IndexMerging({ store, lane, logger: createLogger("test", "silent") }, everyMs);
    t.teardown(() => merging.close());
    return merging;
  };
  const found = async (query: string) =>
    (await new MemorySearch(store).search({ query, limit: 3, now: Date.parse("2026-06-01") })).map(({ id }) => id);
  const check = () => store.db.exec("insert into memory_index (memory_index) values ('integrity-check')");
  return { ...memory, segments, open, found, check };
}

t.test("the segments of the index become one, and a search finds the same", async (t) => {
  const { segments, open, found, check } = manyRounds(t);
  t.ok(segments() > 3, `${segments()} segments`);
  const before = await Promise.all(["matter5", "matter350", "matter699 word61"].map(found));
  await open().work();
  t.equal(segments(), 1);
  check();
  t.same(await Promise.all(["matter5", "matter350", "matter699 word61"].map(found)), before);
  t.equal(before[1]?.length, 1);
});

t.test("merging stops when somebody else writes, and a later pass ends it", async (t) => {
  const { store, segments, open, tell, found, check } = manyRounds(t);
  const lane = new WriteLane(store);
  const merging = open(NEVER_BY_ITSELF, lane);
  const run = lane.run.bind(lane);
  let steps = 0;
  lane.run = async (work) => {
    const result = await run(work);
    if (++steps === 4) tell("2026-05-02", "The lighthouse is painted red.");
    return result;
  };
  await merging.work();
  t.equal(steps, 4);
  t.ok(segments() > 1, "not all is merged");
  check();
  t.equal((await found("lighthouse")).length, 1);
  await merging.work();
  t.ok(segments() <= 3, `${segments()} segments`);
  check();
  t.equal((await found("lighthouse")).length, 1);
});

t.test("files as a kill amid a merge leaves them hold a sound index, and the next engine ends the merge", async (t) => {
  const { store, open } = manyRounds(t);
  const lane = new WriteLane(store);
  const run = lane.run.bind(lane);
  const folder = freshFolder(t);
  let steps = 0;
  lane.run = async (work) => {
    const result = await run(work);
    if (++steps === 4) {
      for (const name of ["engine.db", "engine.db-wal"]) copyFileSync(join(store.dataDir, name), join(folder, name));
    }
    return result;
  };
  await open(NEVER_BY_ITSELF, lane).work();
  t.ok(steps > 4);
  const { segments, found, check, open: openNext } = told(t, remembering(t, openStore(folder)));
  t.ok(segments() > 3, `${segments()} segments`);
  check();
  t.equal((await found("matter350")).length, 1);
  await openNext().work();
  t.ok(segments() <= 3, `${segments()} segments`);
  check();
  t.equal((await found("matter350")).length, 1);
});

t.test("it merges by itself once nothing is written any more", async (t) => {
  const { segments, open } = manyRounds(t);
  open(5);
  await until("all segments are one", () => segments() === 1);
  t.equal(segments(), 1);
});

t.test("words of a forgotten task leave the file with the next merge, also when all segments were one", async (t) => {
  const { store, tell, open } = told(t, remembering(t));
  for (let matter = 0; matter < 40; matter++) tell("2026-05-01", `About matter number ${matter}.`);
  tell("2026-05-02", "The zyxwvutq lies in the harbour.");
  const merging = open();
  await merging.work();
  const isInFile = () => {
    store.db.exec("pragma wal_checkpoint(truncate)");
    return readFileSync(join(store.dataDir, "engine.db")).includes("zyxwvutq");
  };
  t.ok(isInFile());
  store.transaction(() => new TaskForgetting(store).forget("task-41"));
  await merging.work();
  t.notOk(isInFile());
});
