import * as z from "zod/mini";
import { EFFORTS } from "../engine/model-choice.ts";
import { type RecordOf, extended, field, nullable, page, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { MISSED_POLICIES, RUN_STATES } from "./schedule-runs.ts";

export const missedPolicy = z.enum(MISSED_POLICIES).check(z.meta({ title: "MissedPolicy" }));
export const MISSED_MEANING =
  "What happens to due times at which nothing could run. `skip`: no run. `run_once`: one run for all of them. `run_all`: one run for each of the newest, up to `missed_limit`.";

const runState = z.enum(RUN_STATES).check(z.meta({ title: "RunState" }));

const run = record("RunRecord", "One run of a schedule or a webhook: one turn.", {
  id: field(text, "The run's id.", "run_01jd3vb2n8"),
  schedule_id: nullable(text, "The schedule's id. `null` for a run of a webhook.", "sch_01jd3va7k4"),
  webhook_id: nullable(text, "The webhook's id. `null` for a run of a schedule.", null),
  due_at: field(time, "When it was due. For a webhook: when its message was received."),
  state: field(
    runState,
    "`waiting`: due, its turn has not started. `running` and `waiting_for_human`: its turn has. `done` and `failed`: as the turn ended. `missed`: not started in time. `refused`: could not start.",
    "done",
  ),
  task_id: nullable(text, "The conversation of its turn.", "run_01jd3vb2n8"),
  turn_id: nullable(text, "The id of its turn. `null` before it has started."),
  error: nullable(text, "Why it failed, was missed or was refused; while it waits, what for.", null),
  created_at: field(time, "When it was stored."),
  started_at: nullable(time, "When its turn started. `null` before that."),
  ended_at: nullable(time, "When it reached a final state. `null` before that."),
});
export type RunRecord = RecordOf<typeof run>;

const timing = z
  .union([
    z.object({
      kind: field(z.literal("at"), "Once."),
      at: field(time, "The time."),
    }),
    z.object({
      kind: field(z.literal("cron"), "By a cron expression in a time zone."),
      cron: field(text, "Five fields, or six with seconds first, or a name such as `@daily`.", "0 8 * * 1-5"),
      time_zone: field(text, "A time zone of the IANA database.", "Europe/Berlin"),
    }),
    z.object({
      kind: field(z.literal("every"), "Every so many seconds from an anchor."),
      every_s: field(count, "The seconds between two runs.", 900),
      anchor_at: field(time, "The time from which they are counted."),
    }),
  ])
  .check(z.meta({ title: "ScheduleTiming" }));
export type ScheduleTiming = RecordOf<typeof timing>;

const target = {
  user_id: field(text, "The product's id of the user.", "alice"),
  engine_id: field(text, "The engine's id.", "eng_01jd3v8k2m"),
};
const turn = {
  task_id: nullable(text, "The conversation of every run. `null`: each run has a conversation of its own.", null),
  agent: nullable(text, "The agent that answers. `null`: the default one.", null),
  model: nullable(text, "The model that answers. `null`: the agent's.", null),
  effort: nullable(z.enum(EFFORTS), "How much the model reasons. `null`: as the agent says.", null),
};
const times = {
  created_at: field(time, "When it was created."),
  updated_at: field(time, "When it was last changed."),
};
const lastRun = nullable(run, "Its newest run. `null` before the first.", null);

const schedule = record("ScheduleRecord", "A schedule: a message to an engine at its times.", {
  id: field(text, "The schedule's id.", "sch_01jd3va7k4"),
  ...target,
  name: field(text, "Its name, unique among the schedules of an engine.", "briefing"),
  enabled: field(z.boolean(), "`false` while it is paused.", true),
  timing: field(timing, "When it runs."),
  message: field(text, "What the engine gets.", "What is new today?"),
  ...turn,
  missed: field(missedPolicy, MISSED_MEANING, "skip"),
  missed_limit: field(count, "With `run_all`: the most missed runs that are caught up.", 10),
  spread_s: field(count, "Each run is later by a part of so many seconds. The part follows from the schedule's id.", 0),
  ends_at: nullable(time, "No run is due from then on. `null` is no end.", null),
  next_due_at: nullable(time, "When it is due next. `null` while it is paused, and after its last run."),
  next_runs: field(z.array(time), "The next due times, at most five."),
  last_run: lastRun,
  ...times,
});
export type ScheduleRecord = RecordOf<typeof schedule>;

const webhook = record("WebhookRecord", "A webhook: an address for signed messages, each of which starts a turn.", {
  id: field(text, "The webhook's id.", "whk_01jd3vc5t2"),
  ...target,
  name: field(text, "Its name, unique among the webhooks of an engine.", "orders"),
  enabled: field(z.boolean(), "`false` while it refuses messages.", true),
  path: field(text, "The path of its address on the orchestrator.", "/webhooks/whk_01jd3vc5t2"),
  template: field(
    text,
    "The message of the turn. `{{payload}}` is what was sent.",
    "Tell me about this order: {{payload}}",
  ),
  ...turn,
  requests_per_minute: field(count, "Messages beyond it get 429 with `Retry-After`.", 60),
  last_run: lastRun,
  ...times,
});
export type WebhookRecord = RecordOf<typeof webhook>;

const webhookWithSecret = extended(webhook, "WebhookWithSecret", "A webhook with its secret.", {
  secret: nullable(
    text,
    "The secret that signs messages, returned once. `null` in a repeated response.",
    "whsec_4f0a…",
  ),
});
export type WebhookWithSecret = RecordOf<typeof webhookWithSecret>;

const webhookAccepted = record("WebhookAccepted", "The answer to a webhook's message.", {
  accepted: field(z.literal(true), "The run is stored and starts its turn."),
  run_id: field(text, "The id of its run.", "run_01jd3vb2n8"),
});
export type WebhookAccepted = RecordOf<typeof webhookAccepted>;

export const SCHEDULE_RESPONSES = {
  ScheduleRecord: schedule,
  SchedulePage: page(schedule, "Schedules by id."),
  ScheduleDeleted: z.object({ deleted: field(z.literal(true), "The schedule and its runs are gone.") }),
  RunRecord: run,
  RunPage: page(run, "Runs, the newest first."),
  WebhookRecord: webhook,
  WebhookWithSecret: webhookWithSecret,
  WebhookPage: page(webhook, "Webhooks by id."),
  WebhookDeleted: z.object({ deleted: field(z.literal(true), "The webhook and its runs are gone.") }),
  WebhookAccepted: webhookAccepted,
} as const;
