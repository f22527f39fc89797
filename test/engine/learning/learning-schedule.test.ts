import t from "tap";
import { LearningSchedule, type ScheduleParts } from "../../../src/engine/learning/learning-schedule.ts";

const MINUTE = 60_000;

/** Time that goes by when it is told to. */
function clockwork() {
  let now = 0;
  const timers = new Map<symbol, { at: number; run: () => void }>();
  const timer: ScheduleParts["timer"] = (ms, run) => {
    const key = Symbol();
    timers.set(key, { at: now + ms, run });
    return () => timers.delete(key);
  };
  return {
    timer,
    now: () => now,
    waiting: () => timers.size,
    async pass(ms: number) {
      now += ms;
      for (const [key, { at, run }] of timers) if (at <= now && timers.delete(key)) run();
      await new Promise(setImmediate);
    },
  };
}

function scheduled(parts: Partial<ScheduleParts> = {}) {
  const clock = clockwork();
  const seen = { runs: 0, unlearnt: 0, busy: false, suspended: false };
  const schedule = new LearningSchedule({
    learn: () => {
      seen.runs++;
      seen.unlearnt = 0;
      schedule.batchStarted();
      return Promise.resolve("done");
    },
    waiting: () => seen.unlearnt,
    isBusy: () => seen.busy,
    isAllowed: () => !seen.suspended,
    now: clock.now,
    timer: clock.timer,
    ...parts,
  });
  const turn = () => {
    seen.unlearnt++;
    schedule.turnEnded();
  };
  return { clock, seen, schedule, turn };
}

t.test("every twentieth ended turn starts a batch", async (t) => {
  const { clock, seen, turn } = scheduled();
  for (let count = 0; count < 19; count++) turn();
  await clock.pass(0);
  t.equal(seen.runs, 0);
  turn();
  await clock.pass(0);
  t.equal(seen.runs, 1);
  for (let count = 0; count < 20; count++) turn();
  await clock.pass(0);
  t.equal(seen.runs, 2);
});

t.test("thirty idle minutes start a batch if turns wait and none runs", async (t) => {
  const { clock, seen, turn } = scheduled();
  await clock.pass(60 * MINUTE);
  t.equal(seen.runs, 0, "nothing to learn");
  turn();
  await clock.pass(20 * MINUTE);
  turn();
  await clock.pass(20 * MINUTE);
  t.equal(seen.runs, 0, "not quiet for so long yet");
  seen.busy = true;
  await clock.pass(10 * MINUTE);
  t.equal(seen.runs, 0, "a turn runs");
  seen.busy = false;
  await clock.pass(30 * MINUTE);
  t.equal(seen.runs, 1);
  await clock.pass(60 * MINUTE);
  t.equal(seen.runs, 1, "and it is quiet from then on");
});

t.test("an engine learns from the turns of an earlier process", async (t) => {
  const { clock, seen } = scheduled({ waiting: () => 1 });
  await clock.pass(30 * MINUTE);
  t.equal(seen.runs, 1);
});

t.test("a full batch is followed by another at once, a failed one is retried later", async (t) => {
  const outcomes: ("more" | "done")[] = ["more", "more", "done"];
  let runs = 0;
  const { clock, turn, seen } = scheduled({
    learn: () => {
      runs++;
      return Promise.resolve(outcomes.shift() ?? "done");
    },
  });
  turn();
  await clock.pass(30 * MINUTE);
  t.equal(runs, 3);
  t.equal(seen.unlearnt, 1, "one is left: the last could not take it");
  await clock.pass(30 * MINUTE);
  t.equal(runs, 4);
});

t.test("no batch starts after close", async (t) => {
  const { clock, seen, schedule, turn } = scheduled();
  turn();
  schedule.close();
  t.equal(clock.waiting(), 0);
  turn();
  for (let count = 0; count < 20; count++) turn();
  await clock.pass(60 * MINUTE);
  t.equal(seen.runs, 0);
});
