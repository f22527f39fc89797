import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { time } from "../response-schemas.ts";

/** What the daemon tells the product of turns and tasks. */
export const TURN_NOTICES = ["turn.completed", "turn.failed", "turn.cancelled", "turn.waiting", "task.titled"] as const;
export type TurnNoticeType = (typeof TURN_NOTICES)[number];

/** `kept`: of an engine that no daemon reads, the newest notices are kept. */
export const TURN_NOTICE_LIMITS = { perReport: 200, kept: 100_000, idLength: 256 } as const;

const id = z.string().check(z.maxLength(TURN_NOTICE_LIMITS.idLength), z.regex(/^\P{Cc}*$/u));
const seq = z.int().check(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER));

export const turnNotice = record(
  "TurnNotice",
  "The end or a wait of a turn, or the title of a task, for the product.",
  {
    seq: field(seq, "Its number in the engine's store."),
    type: field(z.enum(TURN_NOTICES), "What happened.", "turn.completed"),
    task_id: field(id, "The task.", "t1"),
    turn_id: nullable(id, "The turn. `null` for `task.titled`.", "turn_01jd3v9q2c"),
    request_id: nullable(id, "Of `turn.waiting`: the request or call that it waits for.", null),
    error: nullable(id, "Of `turn.failed`: the error's code.", null),
    at: field(time, "When it happened."),
  },
);
export type TurnNotice = RecordOf<typeof turnNotice>;

/** A notice as it is stored. */
export const turnNoticeOf = (row: Readonly<Record<string, unknown>>): TurnNotice => ({
  seq: Number(row["seq"]),
  type: row["type"] as TurnNoticeType,
  task_id: idOf(row["task_id"]) ?? "",
  turn_id: idOf(row["turn_id"]),
  request_id: idOf(row["request_id"]),
  error: idOf(row["error"]),
  at: new Date(Number(row["at"])).toISOString(),
});

/** Providers make the ids of calls. */
const idOf = (value: unknown): string | null =>
  typeof value === "string"
    ? value
        .replaceAll(/\p{Cc}/gu, " ")
        .slice(0, TURN_NOTICE_LIMITS.idLength)
        .toWellFormed()
    : null;

export const turnNoticeReport = record(
  "TurnNoticeReport",
  "The oldest notices that the engine keeps. It keeps each until the daemon asks for those after it.",
  {
    notices: z.array(turnNotice).check(z.maxLength(TURN_NOTICE_LIMITS.perReport)),
    more: field(z.boolean(), "Whether there are further ones."),
  },
);
export type TurnNoticeReport = RecordOf<typeof turnNoticeReport>;
