import { createHash } from "node:crypto";
import type { DueTimes } from "../rules/due-times.ts";
import type { ScheduleRow } from "../store/schedule-tables.ts";

/** The due times of a stored schedule. Its offset within `spread_s` is derived from its id, so it never changes. */
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
