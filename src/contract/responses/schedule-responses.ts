import * as z from "zod/mini";
import {
  MISSED_POLICIES,
  RUN_STATES,
  type RunRecord,
  type ScheduleRecord,
  type WebhookAccepted,
  type WebhookRecord,
} from "../schedule-records.ts";
import { count, text, textOrNull, time, timeOrNull } from "../response-schemas.ts";

const run = z.object({
  id: text,
  schedule_id: textOrNull,
  webhook_id: textOrNull,
  due_at: time,
  state: z.enum(RUN_STATES),
  task_id: textOrNull,
  turn_id: textOrNull,
  error: textOrNull,
  created_at: time,
  started_at: timeOrNull,
  ended_at: timeOrNull,
}) satisfies z.ZodMiniType<RunRecord>;

const schedule = z.object({
  id: text,
  user_id: text,
  engine_id: text,
  name: text,
  enabled: z.boolean(),
  timing: z.union([
    z.object({ kind: z.literal("at"), at: time }),
    z.object({ kind: z.literal("cron"), cron: text, time_zone: text }),
    z.object({ kind: z.literal("every"), every_s: count, anchor_at: time }),
  ]),
  message: text,
  task_id: textOrNull,
  agent: textOrNull,
  missed: z.enum(MISSED_POLICIES),
  missed_limit: count,
  spread_s: count,
  ends_at: timeOrNull,
  next_due_at: timeOrNull,
  next_runs: z.array(time),
  last_run: z.nullable(run),
  created_at: time,
  updated_at: time,
}) satisfies z.ZodMiniType<ScheduleRecord>;

const webhook = z.object({
  id: text,
  user_id: text,
  engine_id: text,
  name: text,
  enabled: z.boolean(),
  path: text,
  template: text,
  task_id: textOrNull,
  agent: textOrNull,
  requests_per_minute: count,
  last_run: z.nullable(run),
  created_at: time,
  updated_at: time,
}) satisfies z.ZodMiniType<WebhookRecord>;

const page = <Item extends z.ZodMiniType>(item: Item) => z.object({ data: z.array(item), next_cursor: textOrNull });

export const SCHEDULE_RESPONSES = {
  ScheduleRecord: schedule,
  SchedulePage: page(schedule),
  ScheduleDeleted: z.object({ deleted: z.literal(true) }),
  RunRecord: run,
  RunPage: page(run),
  WebhookRecord: webhook,
  WebhookWithSecret: z.extend(webhook, {
    /** Null in the replay of an `Idempotency-Key`. */
    secret: textOrNull,
  }),
  WebhookPage: page(webhook),
  WebhookDeleted: z.object({ deleted: z.literal(true) }),
  WebhookAccepted: z.object({ accepted: z.literal(true), run_id: text }) satisfies z.ZodMiniType<WebhookAccepted>,
} as const;
