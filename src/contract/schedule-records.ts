import type { IsoTime } from "./orchestrator-records.ts";

/** When a schedule runs: at one instant, by a cron expression in a time zone, or every so many seconds from an anchor. */
export type ScheduleTiming =
  | { readonly kind: "at"; readonly at: IsoTime }
  | {
      readonly kind: "cron";
      /** Five fields, or six with seconds first, or a name such as `@daily`. */
      readonly cron: string;
      /** Of the IANA database. */
      readonly time_zone: string;
    }
  | { readonly kind: "every"; readonly every_s: number; readonly anchor_at: IsoTime };

/**
 * What happens to missed due times. `skip`: no run. `run_once`: one run for all of them.
 * `run_all`: one run for each of the newest, up to `missed_limit`.
 */
export const MISSED_POLICIES = ["skip", "run_once", "run_all"] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

/**
 * `waiting`: due, its turn has not started. `running` and `waiting_for_human`: its turn has. The others are final.
 * `done` and `failed`: as the turn ended. `missed`: not started in time. `refused`: could not start.
 */
export const RUN_STATES = ["waiting", "running", "waiting_for_human", "done", "failed", "missed", "refused"] as const;
export type RunState = (typeof RUN_STATES)[number];
export const OPEN_RUN_STATES = ["waiting", "running", "waiting_for_human"] as const satisfies readonly RunState[];
export type OpenRunState = (typeof OPEN_RUN_STATES)[number];
export type EndedRunState = Exclude<RunState, OpenRunState>;

/** One run of a schedule or a webhook: one turn. */
export interface RunRecord {
  readonly id: string;
  /** Null for a run of a webhook. */
  readonly schedule_id: string | null;
  /** Null for a run of a schedule. */
  readonly webhook_id: string | null;
  readonly due_at: IsoTime;
  readonly state: RunState;
  /** The conversation of its turn. */
  readonly task_id: string | null;
  /** Null before its turn has started. */
  readonly turn_id: string | null;
  /** Why it failed, was missed or was refused; why it still waits. */
  readonly error: string | null;
  readonly created_at: IsoTime;
  readonly started_at: IsoTime | null;
  readonly ended_at: IsoTime | null;
}

export interface ScheduleRecord {
  readonly id: string;
  readonly user_id: string;
  readonly engine_id: string;
  /** Unique among the schedules of an engine. */
  readonly name: string;
  readonly enabled: boolean;
  readonly timing: ScheduleTiming;
  readonly message: string;
  /** The conversation of every run. Null: each run has a conversation of its own. */
  readonly task_id: string | null;
  readonly agent: string | null;
  readonly missed: MissedPolicy;
  /** With `run_all`: the most missed runs that are caught up. */
  readonly missed_limit: number;
  /** Delays each run by a constant offset of up to so many seconds, which differs between schedules. */
  readonly spread_s: number;
  /** No run is due from then on. */
  readonly ends_at: IsoTime | null;
  /** Null while it is paused, and after its last run. */
  readonly next_due_at: IsoTime | null;
  /** The next due times, at most five. */
  readonly next_runs: readonly IsoTime[];
  readonly last_run: RunRecord | null;
  readonly created_at: IsoTime;
  readonly updated_at: IsoTime;
}

export interface WebhookRecord {
  readonly id: string;
  readonly user_id: string;
  readonly engine_id: string;
  /** Unique among the webhooks of an engine. */
  readonly name: string;
  readonly enabled: boolean;
  /** The path at which the orchestrator receives its messages. */
  readonly path: string;
  /** The message of the turn; `{{payload}}` is what was sent. */
  readonly template: string;
  readonly task_id: string | null;
  readonly agent: string | null;
  readonly requests_per_minute: number;
  readonly last_run: RunRecord | null;
  readonly created_at: IsoTime;
  readonly updated_at: IsoTime;
}

/** The answer to a webhook's message. */
export interface WebhookAccepted {
  readonly accepted: true;
  readonly run_id: string;
}

/** Ended runs that are kept of each schedule and webhook. */
export const KEPT_RUNS = 50;
