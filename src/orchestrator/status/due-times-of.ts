import { createHash } from "node:crypto";
import type { DueTimes } from "../rules/due-times.ts";
import type { ScheduleRow } from "../store/schedule-tables.ts";

/** The times of a stored schedule. Its part of the spread follows from its id, so that it is the same at each run. */
export const dueTimesOf = ({
  id,
  timing,
  spread_s: spreadS,
  ends_at: endsAt,
}: Pick<ScheduleRow, "id" | "timing" | "spread_s" | "ends_at">): DueTimes => ({
  timing,
  offsetMs: spreadS === 0 ? 0 : (createHash("sha256").update(id).digest().readUInt32BE() % spreadS) * 1000,
  endsAt: endsAt?.getTime() ?? null,
});
