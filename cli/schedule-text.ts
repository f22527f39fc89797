import type { ScheduleRecord, ScheduleTiming } from "../src/client/records.ts";
import { formatDuration } from "./times.ts";

/** When a schedule runs next. */
export const nextText = ({ enabled, next_due_at: next }: ScheduleRecord): string =>
  !enabled ? "is paused" : next === null ? "has no further run" : `runs next at ${next}`;

/** The times of a schedule. */
export const timingText = (timing: ScheduleTiming): string => {
  if (timing.kind === "at") return `at ${timing.at}`;
  return timing.kind === "cron"
    ? `${timing.cron} (${timing.time_zone})`
    : `every ${formatDuration(timing.every_s)} from ${timing.anchor_at}`;
};
