import { strict as assert } from "node:assert";
import fc from "fast-check";
import type { ScheduleTiming } from "../../src/contract/orchestrator/schedule.ts";
import { type DueTimes, duesUntil, nextDue, nextDues } from "../../src/orchestrator/rules/due-times.ts";
import { property } from "../helpers/property.ts";
import { cronFields, cronText, instants, zones } from "./parts/cron-expressions.ts";

const HOUR_MS = 3_600_000;
const timings: fc.Arbitrary<ScheduleTiming> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(cronFields, zones)
      .map(([fields, time_zone]) => ({ kind: "cron" as const, cron: cronText(fields), time_zone })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 60, max: 200_000 }), instants).map(([every_s, anchor]) => ({
      kind: "every" as const,
      every_s,
      anchor_at: new Date(anchor).toISOString(),
    })),
  },
  { weight: 1, arbitrary: instants.map((at) => ({ kind: "at" as const, at: new Date(at).toISOString() })) },
);
const dueTimes = fc
  .record({
    timing: timings,
    offsetMs: fc.nat({ max: 600_000 }),
    at: instants,
    end: fc.option(fc.nat({ max: 3 * HOUR_MS })),
  })
  .map(({ timing, offsetMs, at, end }) => ({
    times: { timing, offsetMs, endsAt: end === null ? null : at + end } satisfies DueTimes,
    at,
  }));

/** One that is due within a second behind the end took the place of the one before it. */
const AT_THE_NEXT_SECOND: [{ times: DueTimes; at: number }, number, number] = [
  { times: { timing: { kind: "cron", cron: "*/2 * * * *", time_zone: "UTC" }, offsetMs: 0, endsAt: null }, at: 0 },
  359_500,
  1,
];

property(
  "the next due time is later, and the same from every moment before it",
  [dueTimes, fc.double({ min: 0, max: 1, noNaN: true })],
  ({ times, at }, share) => {
    const next = nextDue(times, at);
    if (next === null) return;
    assert.ok(next > at);
    assert.equal(nextDue(times, at + Math.floor((next - 1 - at) * share)), next);
    assert.ok(times.endsAt === null || next - times.offsetMs < times.endsAt);
  },
);

property(
  "looking back finds the newest of what looking forward found",
  [dueTimes, fc.nat({ max: 3 * HOUR_MS }), fc.integer({ min: 1, max: 6 })],
  ({ times, at }, span, count) => {
    const until = at + span;
    const forward = nextDues(times, { after: at - 1, count: 200 }).filter((time) => time <= until);
    assert.deepEqual(duesUntil(times, { from: at, until, count }), forward.slice(-count));
  },
  { examples: [AT_THE_NEXT_SECOND] },
);
