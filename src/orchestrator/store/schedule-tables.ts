import type { ColumnType, Generated, JSONColumnType, Selectable } from "kysely";
import type { Effort } from "../../contract/engine/model-choice.ts";
import type { MissedPolicy, RunState } from "../../contract/orchestrator/schedule-runs.ts";
import type { ScheduleTiming } from "../../contract/orchestrator/schedule.ts";

type CreatedAt = ColumnType<Date, Date | undefined, never>;

export interface SchedulesTable {
  id: string;
  engine_id: string;
  product_id: string;
  host_id: string;
  name: string;
  enabled: boolean;
  timing: JSONColumnType<ScheduleTiming>;
  message: string;
  task_id: string | null;
  agent: string | null;
  model: string | null;
  effort: Effort | null;
  missed: MissedPolicy;
  missed_limit: number;
  spread_s: number;
  ends_at: Date | null;
  /** Null while it is paused, and after its last time. */
  next_due: Date | null;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
}

export interface WebhooksTable {
  id: string;
  engine_id: string;
  product_id: string;
  host_id: string;
  name: string;
  enabled: boolean;
  template: string;
  task_id: string | null;
  agent: string | null;
  model: string | null;
  effort: Effort | null;
  requests_per_minute: number;
  /** Sealed with the deployment's secret key. */
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_expires_at: Date | null;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
}

export interface ScheduledRunsTable {
  id: string;
  engine_id: string;
  product_id: string;
  host_id: string;
  schedule_id: string | null;
  webhook_id: string | null;
  /** Unique among the runs of its schedule or webhook. */
  key: string;
  due_at: Date;
  state: RunState;
  /** The turn to start, sealed. Null once the run has ended. */
  request: Buffer | null;
  task_id: string | null;
  turn_id: string | null;
  /** The request to a person that `turn.waiting` was written for. */
  request_id: Generated<string | null>;
  error: string | null;
  start_by: Date;
  created_at: CreatedAt;
  started_at: Date | null;
  ended_at: Date | null;
}

export type ScheduleRow = Selectable<SchedulesTable>;
export type WebhookRow = Selectable<WebhooksTable>;
export type RunRow = Selectable<ScheduledRunsTable>;
