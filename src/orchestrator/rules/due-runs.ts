import type { MissedPolicy } from "../../contract/orchestrator/schedule-runs.ts";
import { type DueTimes, duesUntil, nextDue } from "./due-times.ts";

/** A run that starts later than this was missed: the daemon did not run, its host slept, or its clock jumped. */
const LATE_MS = 60_000;

interface DueSchedule {
  readonly times: DueTimes;
  /** The due time, in milliseconds since the epoch. */
  readonly due: number;
  readonly missed: MissedPolicy;
  readonly missedLimit: number;
  /** Runs of this schedule that have not started yet. */
  readonly waiting: number;
  /** Why no run of the product may start now; null when they may. */
  readonly paused: string | null;
}

interface DueRuns {
  /** The due time after these; null when there is none. */
  readonly next: number | null;
  /** Due times that run, oldest first. */
  readonly start: readonly number[];
  /** The newest due time that does not run, and why. */
  readonly missed: { readonly at: number; readonly reason: string } | null;
}

/** Which of the due times up to now run. */
export function dueRuns(schedule: DueSchedule, now: number): DueRuns {
  const { times, due, missed: policy, missedLimit, waiting, paused } = schedule;
  const next = nextDue(times, now);
  // One more than can run, to detect whether some are missed.
  const dues = duesUntil(times, { from: due, until: now, count: missedLimit + 1 });
  // After an update of the time zone database, the stored time may no longer be a due time.
  const all = dues.length === 0 ? [due] : dues;
  const newest = all.at(-1) ?? due;
  if (paused !== null) return { next, start: [], missed: { at: newest, reason: paused } };
  const late = all.filter((time) => now - time > LATE_MS);
  switch (policy) {
    case "skip": {
      const start = waiting > 0 ? [] : all.filter((time) => !late.includes(time)).slice(-1);
      return { next, start, missed: missedOf(all, start, late.length > 0 ? NOT_RUNNING : OVERLAP) };
    }
    case "run_once": {
      const start = waiting > 0 ? [] : [newest];
      return { next, start, missed: start.length > 0 ? null : { at: newest, reason: OVERLAP } };
    }
    case "run_all": {
      const room = Math.max(0, missedLimit - waiting);
      const start = room === 0 ? [] : all.slice(-room);
      return { next, start, missed: missedOf(all, start, `more than ${missedLimit} runs were due (missed_limit)`) };
    }
    default:
      return policy satisfies never;
  }
}

const NOT_RUNNING = "the daemon was not running when it was due";
const OVERLAP = "the run before had not started yet";

/** The newest time that does not run. */
function missedOf(all: readonly number[], start: readonly number[], reason: string): DueRuns["missed"] {
  const at = all.filter((time) => !start.includes(time)).at(-1);
  return at === undefined ? null : { at, reason };
}
