import { strict as assert } from "node:assert";
import fc from "fast-check";
import { type MissedPolicy } from "../../src/contract/orchestrator/schedule-runs.ts";
import { dueRuns } from "../../src/orchestrator/rules/due-runs.ts";
import { nextDue, nextDues } from "../../src/orchestrator/rules/due-times.ts";
import { property } from "../helpers/property.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-03-29T00:00:00Z");
const timing = fc.oneof(
  fc.integer({ min: 1, max: 20 }).map((minutes) => ({
    kind: "every" as const,
    every_s: minutes * 60,
    anchor_at: new Date(START - 7000).toISOString(),
  })),
  fc
    .constantFrom("*/7 * * * *", "30 2 * * *", "0 * * * *")
    .map((cron) => ({ kind: "cron" as const, cron, time_zone: "Europe/Berlin" })),
);
/** When the daemon looks: most often each half minute, and after pauses. */
const looks = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 30_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 * MINUTE }) },
  ),
  { minLength: 1, maxLength: 25 },
);
const limits = fc.record({
  missed: fc.constantFrom<MissedPolicy>("skip", "run_once", "run_all"),
  missedLimit: fc.integer({ min: 1, max: 6 }),
  end: fc.option(fc.integer({ min: 1, max: 300 * MINUTE })),
});

property(
  "whenever the daemon looks, each due time runs at most once, in order, and the newest are told",
  [timing, limits, looks],
  (timing, { missed, missedLimit, end }, looks) => {
    const times = { timing, offsetMs: 0, endsAt: end === null ? null : START + end };
    let due = nextDue(times, START);
    let now = START;
    const all = new Set(nextDues(times, { after: START, count: 400 }));
    let newest = Number.NEGATIVE_INFINITY;
    for (const pause of looks) {
      now += pause;
      if (due === null || due > now) continue;
      const before = [...all].filter((time) => time >= (due ?? 0) && time <= now);
      const { next, start, missed: told } = dueRuns({ times, due, missed, missedLimit, waiting: 0, paused: null }, now);
      for (const time of start) {
        assert.ok(time > newest && all.has(time), `${time} runs twice, or is no due time`);
        newest = time;
      }
      assert.ok(start.length <= (missed === "run_all" ? missedLimit : 1));
      const isMet =
        missed === "skip" ? now - (before.at(-1) ?? 0) > MINUTE || start.length === 1 : start.at(-1) === before.at(-1);
      assert.ok(isMet, "the newest due time runs, unless it is late and skipped");
      if (missed === "run_all") assert.deepEqual(start, before.slice(-missedLimit));
      if (missed !== "run_once")
        assert.equal(told === null, start.length === before.length, "what does not run is told");
      assert.ok(next === null || next > now);
      due = next;
    }
  },
);
