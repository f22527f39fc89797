import type { ScheduleTiming } from "../../contract/orchestrator/schedule.ts";
import { cronProblem, lastOf, nextOf, timeZoneProblem } from "./cron-times.ts";

/** The number of due times that are compared to find the shortest interval of a cron expression. */
const COMPARED = 60;

/** The due times of a schedule: those of its timing plus a constant offset, before its end. */
export interface DueTimes {
  readonly timing: ScheduleTiming;
  readonly offsetMs: number;
  /** Milliseconds since the epoch. Null without an end. */
  readonly endsAt: number | null;
}

/** The first due time after `after`; null when there is none. */
export function nextDue({ timing, offsetMs, endsAt }: DueTimes, after: number): number | null {
  const next = nextTime(timing, after - offsetMs);
  if (next === null || (endsAt !== null && next >= endsAt)) return null;
  return next + offsetMs;
}

/** The next due times, at most `count`. */
export function nextDues(times: DueTimes, { after, count }: { after: number; count: number }): number[] {
  const found: number[] = [];
  for (let at = nextDue(times, after); at !== null && found.length < count; at = nextDue(times, at)) found.push(at);
  return found;
}

/** The newest due times from `from` until `until`, both included, at most `count`, oldest first. */
export function duesUntil(
  { timing, offsetMs, endsAt }: DueTimes,
  { from, until, count }: { readonly from: number; readonly until: number; readonly count: number },
): number[] {
  const last = Math.min(until - offsetMs, (endsAt ?? Number.POSITIVE_INFINITY) - 1);
  return lastTimes(timing, { until: last, count })
    .map((time) => time + offsetMs)
    .filter((time) => time >= from);
}

function nextTime(timing: ScheduleTiming, after: number): number | null {
  switch (timing.kind) {
    case "at":
      return Date.parse(timing.at) > after ? Date.parse(timing.at) : null;
    case "cron":
      return nextOf(timing, after);
    case "every": {
      const [anchor, step] = [Date.parse(timing.anchor_at), timing.every_s * 1000];
      return anchor + Math.max(0, Math.floor((after - anchor) / step) + 1) * step;
    }
    default:
      return timing satisfies never;
  }
}

function lastTimes(timing: ScheduleTiming, { until, count }: { until: number; count: number }): number[] {
  switch (timing.kind) {
    case "at":
      return Date.parse(timing.at) <= until ? [Date.parse(timing.at)] : [];
    case "cron":
      return lastOf(timing, { until, count });
    case "every": {
      const [anchor, step] = [Date.parse(timing.anchor_at), timing.every_s * 1000];
      const last = Math.floor((until - anchor) / step);
      const first = Math.max(0, last - count + 1);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => anchor + (first + index) * step);
    }
    default:
      return timing satisfies never;
  }
}

interface TimingProblem {
  /** Of the timing. */
  readonly field: string;
  readonly problem: string;
}

/** What is wrong with a timing; null when nothing is. */
export function timingProblem(
  timing: ScheduleTiming,
  { now, minIntervalS }: { readonly now: number; readonly minIntervalS: number },
): TimingProblem | null {
  const tooOften = `expected at least ${minIntervalS} s between two runs (min_schedule_interval_s of the policy)`;
  switch (timing.kind) {
    case "at":
      return Date.parse(timing.at) > now ? null : { field: "at", problem: "expected a time in the future" };
    case "cron": {
      const cron = cronProblem(timing.cron);
      if (cron !== null) return { field: "cron", problem: cron };
      const zone = timeZoneProblem(timing.time_zone);
      if (zone !== null) return { field: "time_zone", problem: zone };
      const distance = smallestDistance({ timing, offsetMs: 0, endsAt: null }, now);
      return distance < minIntervalS * 1000
        ? { field: "cron", problem: `${tooOften}, got ${distance / 1000} s` }
        : null;
    }
    case "every":
      return timing.every_s < minIntervalS ? { field: "every_s", problem: tooOften } : null;
    default:
      return timing satisfies never;
  }
}

function smallestDistance(times: DueTimes, now: number): number {
  const dues = nextDues(times, { after: now, count: COMPARED });
  return Math.min(...dues.slice(1).map((time, index) => time - (dues[index] ?? 0)));
}
