import t from "tap";
import { SAMPLE_COUNT, SAMPLE_INTERVAL_S } from "../../../src/contract/orchestrator/sample-measures.ts";
import type { LiveEngine } from "../../../src/orchestrator/fleet/live-engines.ts";
import { SampleRing } from "../../../src/orchestrator/status/sample-ring.ts";
import { EngineSampleStore } from "../../../src/orchestrator/status/engine-sample-store.ts";

const STEP = SAMPLE_INTERVAL_S * 1000;
const START = 1_000_000 * STEP;

t.test("values within one sample become their average, the last one, or their sum", async (t) => {
  const ring = new SampleRing(["average", "last", "sum"]);
  ring.add(START, [10, 10, 10]);
  ring.add(START + STEP / 2, [20, 20, null]);
  ring.add(START + STEP - 1, [30, null, 5]);
  const { from, measures } = ring.read(START + STEP);
  t.equal(from, START - (SAMPLE_COUNT - 2) * STEP);
  t.same(
    measures.map((values) => values.slice(-2)),
    [
      [20, null],
      [20, null],
      [15, null],
    ],
  );
});

t.test("an hour is kept, gaps are empty, and a clock that goes back overwrites nothing", async (t) => {
  const ring = new SampleRing(["last"]);
  for (let step = 0; step < SAMPLE_COUNT + 10; step++) ring.add(START + step * STEP, [step]);
  const last = START + (SAMPLE_COUNT + 9) * STEP;
  t.same(
    ring.read(last).measures[0],
    Array.from({ length: SAMPLE_COUNT }, (_, at) => at + 10),
  );
  ring.add(last - 5 * STEP, [0]);
  t.same(ring.read(last).measures[0]?.slice(-2), [SAMPLE_COUNT + 8, 0], "it counts as the newest");
  ring.add(last + 3 * STEP, [7]);
  t.same(ring.read(last + 3 * STEP).measures[0]?.slice(-4), [0, null, null, 7]);
  t.notOk(ring.isOver(last + (SAMPLE_COUNT + 2) * STEP));
  t.ok(ring.isOver(last + (SAMPLE_COUNT + 3) * STEP));
  t.ok(ring.read(last + 2 * SAMPLE_COUNT * STEP).measures[0]?.every((value) => value === null));
});

const engineOf = (id: string, more: object): LiveEngine =>
  ({
    id,
    incarnation: "one",
    healthySince: START,
    usage: { cpuPercent: 50, memoryBytes: 100 * 1_048_576, sampledAt: START },
    diskBytes: null,
    activeTurns: 1,
    counted: null,
    ...more,
  }) as unknown as LiveEngine;
const turns = (count: number, revision: number) => ({
  counted: { revision, values: new Map([["orch_turns_total\ncompleted", [count]]]) },
});

t.test("counts are what an engine did since the sample before, and the host has their sums", async (t) => {
  const store = new EngineSampleStore(START);
  const [anna, adopted] = [engineOf("anna", turns(2, 1)), engineOf("old", { ...turns(40, 9), healthySince: 0 })];
  store.add(START, [anna, adopted]);
  Object.assign(anna, turns(5, 2));
  Object.assign(adopted, turns(41, 10));
  store.add(START + STEP, [anna, adopted]);
  // The same reading again, and then another life of its process.
  store.add(START + 2 * STEP, [anna, adopted]);
  Object.assign(anna, { incarnation: "two", ...turns(1, 1) });
  store.add(START + 3 * STEP, [anna]);
  const now = START + 3 * STEP;
  t.same(store.ofEngine("anna", now)?.samples.turns.slice(-4), [2, 3, 0, 1]);
  t.same(store.ofEngine("old", now)?.samples.turns.slice(-4), [0, 1, 0, null]);
  const { engines, samples, from } = store.ofHost(now);
  t.same(engines.slice(-4), [2, 2, 2, 1]);
  t.same(samples.turns.slice(-4), [2, 4, 0, 1]);
  t.same(samples.memory_mb.slice(-2), [200, 100]);
  t.same(samples.disk_mb.slice(-1), [null]);
  t.equal(Date.parse(from), now - (SAMPLE_COUNT - 1) * STEP);
  store.add(now + SAMPLE_COUNT * STEP, []);
  t.equal(store.ofEngine("anna", now + SAMPLE_COUNT * STEP), null, "forgotten after an hour");
});
