import * as z from "zod/mini";
import { byteLength, characters, integer, opaqueId, wellFormedText } from "../../shared/parse.ts";
import { effort, modelName } from "../engine/model-schemas.ts";
import { taskId } from "../engine/requests.ts";
import { field } from "../record.ts";
import { MISSED_MEANING, missedPolicy } from "./schedule.ts";
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
    z.strictObject({
      kind: field(z.literal("at"), "Once."),
      at: field(instant, "A time in ISO 8601 with its offset.", "2026-12-24T18:00:00+01:00"),
    }),
    z.strictObject({
      kind: field(z.literal("cron"), "By a cron expression in a time zone."),
      cron: field(
        characters(1, SCHEDULE_LIMITS.cronLength),
        "Minute, hour, day of month, month, day of week; with six fields the second comes first. Or a name such as `@daily`.",
        "0 8 * * 1-5",
      ),
      time_zone: field(z._default(characters(1, 64), "UTC"), "A time zone of the IANA database.", "Europe/Berlin"),
    }),
    z.strictObject({
      kind: field(z.literal("every"), "Every so many seconds from an anchor."),
      every_s: field(integer(1, SCHEDULE_LIMITS.everyS), "The seconds between two runs.", 900),
      anchor_at: field(z.optional(instant), "The time from which they are counted. Left out: the time of the call."),
    }),
  ],
  TIMING,
);

const kib = (bytes: number): string => `1 byte to ${bytes / 1024} KiB of UTF-8`;
const name = opaqueId(1, 100);
const turnFields = {
  task_id: field(
    z.optional(z.nullable(taskId)),
    "The conversation of every run. Without it each run has a conversation of its own, named by the run's id.",
  ),
  agent: field(z.optional(z.nullable(characters(1, 64))), "The agent that answers. Left out: the default one."),
  model: field(
    z.optional(z.nullable(modelName)),
    "The [model](conversations.md#which-model-answers), which the policy's `allowed_models` must allow now and at each run. Left out: the agent's.",
  ),
  effort: field(
    z.optional(z.nullable(effort)),
    "How much the model reasons, if it has this option. Left out: the agent's.",
  ),
};

const scheduleFields = {
  name: field(name, "1 to 100 bytes, unique among the schedules of an engine.", "briefing"),
  timing: field(timing, "When it runs."),
  message: field(
    boundedText(SCHEDULE_LIMITS.messageBytes),
    `What the engine gets: ${kib(SCHEDULE_LIMITS.messageBytes)}.`,
    "What is new today?",
  ),
  ...turnFields,
  enabled: field(z.optional(z.boolean()), "`false` pauses it. Default: `true`.", true),
  missed: field(z.optional(missedPolicy), `${MISSED_MEANING} Default: \`skip\`.`, "skip"),
  missed_limit: field(
    z.optional(integer(1, SCHEDULE_LIMITS.missedLimit)),
    "The most missed runs that `run_all` catches up. Default: 10.",
    10,
  ),
  spread_s: field(
    z.optional(integer(0, SCHEDULE_LIMITS.spreadS)),
    "Each run is later by a part of so many seconds. The part follows from the schedule's id, so that schedules of one time spread out. Default: 0.",
    0,
  ),
  ends_at: field(
    z.optional(z.nullable(instant)),
    "A time in ISO 8601 with its offset. No run is due from then on. Default: no end.",
  ),
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
  name: field(name, "1 to 100 bytes, unique among the webhooks of an engine.", "orders"),
  template: field(
    template,
    `The message of the turn: ${kib(SCHEDULE_LIMITS.templateBytes)}. \`{{payload}}\` is what was sent.`,
    "Tell me about this order: {{payload}}",
  ),
  ...turnFields,
  enabled: field(z.optional(z.boolean()), "`false` refuses messages with 403. Default: `true`.", true),
  requests_per_minute: field(
    z.optional(integer(1, SCHEDULE_LIMITS.requestsPerMinute)),
    "Messages beyond it get 429 with `Retry-After`. Default: 60.",
    60,
  ),
};

export const webhookRequest = z.strictObject(webhookFields);
export type WebhookRequest = z.output<typeof webhookRequest>;

export const webhookPatch = z.partial(z.strictObject(webhookFields));
export type WebhookPatch = z.output<typeof webhookPatch>;

export const webhookSecretRequest = z.object({
  grace_s: field(
    z.optional(integer(0, 7 * 86_400)),
    "How many seconds the old secret is accepted too. Left out, it ends at once.",
    3600,
  ),
});
