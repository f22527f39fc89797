import * as z from "zod/mini";
import { byteLength, characters, integer, opaqueId, wellFormedText } from "../shared/parse.ts";
import { taskId } from "./engine-api.ts";
import { MISSED_POLICIES } from "./schedule-records.ts";
import { templateProblem } from "./webhook-template.ts";

/** Limits of schedules and webhooks, in bytes of UTF-8 where they are of text. */
export const SCHEDULE_LIMITS = {
  messageBytes: 32 * 1024,
  templateBytes: 8 * 1024,
  cronLength: 200,
  /** A leap year. */
  everyS: 366 * 86_400,
  spreadS: 86_400,
  missedLimit: 100,
  requestsPerMinute: 600,
} as const;

function boundedText(max: number) {
  const bounds = `expected 1 byte to ${max / 1024} KiB of UTF-8`;
  return wellFormedText(bounds).check(
    z.refine((text) => byteLength(text) >= 1 && byteLength(text) <= max, { error: bounds, abort: true }),
    z.refine((text) => text.trim() !== "", { error: "expected more than white space" }),
  );
}

const INSTANT = "expected a time in ISO 8601 with its offset, such as 2026-12-24T18:00:00+01:00";
const ISO = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** JavaScript reads 30 February as 2 March. */
function isInstant(text: string): boolean {
  const [, year, month, day] = ISO.exec(text) ?? [];
  if (year === undefined || Number.isNaN(Date.parse(text))) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** The UTC time in milliseconds since the epoch. */
const instant = z.string(INSTANT).check(
  z.refine(isInstant, { error: INSTANT, abort: true }),
  z.overwrite((text) => (isInstant(text) ? new Date(text).toISOString() : text)),
);

const TIMING = 'expected the kind "at", "cron" or "every"';
/** A cron expression and a time zone are checked by the daemon, which has the library. */
const timing = z.discriminatedUnion(
  "kind",
  [
    z.strictObject({ kind: z.literal("at"), at: instant }),
    z.strictObject({
      kind: z.literal("cron"),
      cron: characters(1, SCHEDULE_LIMITS.cronLength),
      time_zone: z._default(characters(1, 64), "UTC"),
    }),
    z.strictObject({
      kind: z.literal("every"),
      every_s: integer(1, SCHEDULE_LIMITS.everyS),
      anchor_at: z.optional(instant),
    }),
  ],
  TIMING,
);

const agent = z.nullable(characters(1, 64));
const name = opaqueId(1, 100);

const scheduleFields = {
  name,
  timing,
  message: boundedText(SCHEDULE_LIMITS.messageBytes),
  task_id: z.optional(z.nullable(taskId)),
  agent: z.optional(agent),
  enabled: z.optional(z.boolean()),
  missed: z.optional(z.enum(MISSED_POLICIES)),
  missed_limit: z.optional(integer(1, SCHEDULE_LIMITS.missedLimit)),
  spread_s: z.optional(integer(0, SCHEDULE_LIMITS.spreadS)),
  ends_at: z.optional(z.nullable(instant)),
};

/** Strict: a typo in a schedule must not be ignored. */
export const scheduleRequest = z.strictObject(scheduleFields);
export type ScheduleRequest = z.output<typeof scheduleRequest>;

/** Missing fields keep their value. `timing` is replaced as a whole. */
export const schedulePatch = z.partial(z.strictObject(scheduleFields));
export type SchedulePatch = z.output<typeof schedulePatch>;

export const runRequest = z.object({});

const template = boundedText(SCHEDULE_LIMITS.templateBytes).check(
  z.check(({ value, issues }) => {
    const problem = templateProblem(value);
    if (problem !== null) issues.push({ code: "custom", message: problem, input: value, continue: true });
  }),
);

const webhookFields = {
  name,
  template,
  task_id: z.optional(z.nullable(taskId)),
  agent: z.optional(agent),
  enabled: z.optional(z.boolean()),
  requests_per_minute: z.optional(integer(1, SCHEDULE_LIMITS.requestsPerMinute)),
};

export const webhookRequest = z.strictObject(webhookFields);
export type WebhookRequest = z.output<typeof webhookRequest>;

export const webhookPatch = z.partial(z.strictObject(webhookFields));
export type WebhookPatch = z.output<typeof webhookPatch>;

/** `grace_s`: how long the old secret stays valid. */
export const webhookSecretRequest = z.object({ grace_s: z.optional(integer(0, 7 * 86_400)) });
