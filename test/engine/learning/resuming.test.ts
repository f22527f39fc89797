import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { compileCache } from "../../helpers/compile-cache.ts";
import { learningBench } from "./learning-bench.ts";
import { learntDump } from "./learned-dump.ts";
import { ROUNDS, ROUNDS_MODEL } from "./scripted-rounds.ts";

/** A store with turns that nobody has learnt from. */
async function unlearnt(t: Test): Promise<string> {
  const folder = t.testdir({ first: {} });
  const place = join(folder, "first");
  const bench = learningBench(t, { dataDir: place, provider: ROUNDS_MODEL });
  bench.tell(...ROUNDS);
  await bench.learning.close();
  bench.store.db.exec("pragma wal_checkpoint(truncate)");
  return folder;
}

function copied(folder: string, name: string): string {
  const place = join(folder, name);
  cpSync(join(folder, "first", "engine.db"), join(place, "engine.db"));
  return place;
}

t.test("a batch killed at any point continues with the same result", async (t) => {
  const folder = await unlearnt(t);
  const whole = learningBench(t, { dataDir: copied(folder, "whole"), provider: ROUNDS_MODEL });
  t.match(await whole.learning.trigger(), { trajectories: ROUNDS.length, skills_drafted: 1 });
  const expected = learntDump(whole.store);
  t.same(
    whole
      .rows("select content from knowledge where predicate = 'lives in' and recorded_to is null order by number")
      .map(({ content }) => content),
    ["User lives in Lyon", "Anna lives in Bergen"],
  );
  for (const [at, where] of [
    [1, "after"],
    [2, "before"],
    [2, "amid"],
    [4, "after"],
    [6, "amid"],
    [9, "before"],
    [13, "after"],
    [14, "amid"],
    [15, "amid"],
    [16, "before"],
  ] as const) {
    const place = copied(folder, `${at}-${where}`);
    const program = resolve(import.meta.dirname, "../../fixtures/learns-until-killed.ts");
    const child = spawn(process.execPath, [program, place, String(at), where], { env: compileCache, stdio: "inherit" });
    const [, signal] = (await once(child, "exit")) as [number | null, string | null];
    t.equal(signal, "SIGKILL", `killed ${where} its transaction ${at}`);
    const next = learningBench(t, { dataDir: place, provider: ROUNDS_MODEL });
    await next.learning.trigger();
    t.same(learntDump(next.store), expected, `gone on with when it was killed ${where} transaction ${at}`);
    t.equal(next.rows("select 1 from learning_batches where ended_at is null").length, 0);
  }
});

t.test("learning a learned round again changes nothing", async (t) => {
  const bench = learningBench(t);
  bench.tell(...ROUNDS);
  await bench.learning.trigger();
  const before = learntDump(bench.store);
  const ids = bench.rows("select id, recorded_from, recorded_to from knowledge order by number");
  bench.store.db.exec("update trajectories set batch_id = null");
  t.match(await bench.learning.trigger(), {
    trajectories: ROUNDS.length,
    knowledge_added: 0,
    knowledge_closed: 0,
    nodes: 0,
    skills_drafted: 0,
  });
  t.same(learntDump(bench.store), before);
  t.same(bench.rows("select id, recorded_from, recorded_to from knowledge order by number"), ids);
});

t.test("a store after learning opens intact", async (t) => {
  const folder = await unlearnt(t);
  const bench = learningBench(t, { dataDir: copied(folder, "checked"), provider: ROUNDS_MODEL });
  await bench.learning.trigger();
  await bench.learning.close();
  t.same({ ...bench.store.db.prepare("pragma integrity_check").get() }, { integrity_check: "ok" });
  t.same(bench.store.db.prepare("pragma foreign_key_check").all(), []);
});
