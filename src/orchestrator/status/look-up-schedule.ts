import type { RunRecord, ScheduleRecord, WebhookRecord } from "../../contract/orchestrator/schedule.ts";
import { isoTime } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { nextDues } from "../rules/due-times.ts";
import type { Product } from "../store/products.ts";
import type { RunRow, ScheduleRow, WebhookRow } from "../store/schedule-tables.ts";
import { type RunOwner, lastRuns, listRuns } from "../store/scheduled-runs.ts";
import { findSchedule, listSchedules } from "../store/schedules.ts";
import { findWebhook, listWebhooks } from "../store/webhooks.ts";
import { dueTimesOf } from "./due-times-of.ts";
import { getEngineRow } from "./look-up-engine.ts";

type Host = Pick<HostContext, "db" | "now">;

const SHOWN_TIMES = 5;

interface PageOptions {
  readonly after: string | null;
  readonly limit: number;
}

export async function lookUpSchedule(
  host: Host,
  product: Product,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<ScheduleRecord> {
  const engine = await getEngineRow(host, product, userId);
  const row = (await findSchedule(host.db, engine.id, id)) ?? scheduleNotFound();
  const [record] = await scheduleRecords(host, userId, [row]);
  return record ?? scheduleNotFound();
}

export async function pageOfSchedules(
  host: Host,
  product: Product,
  { userId, ...page }: PageOptions & { readonly userId: string },
): Promise<ScheduleRecord[]> {
  const { id: engineId } = await getEngineRow(host, product, userId);
  return scheduleRecords(host, userId, await listSchedules(host.db, { engineId, ...page }));
}

export async function lookUpWebhook(
  host: Host,
  product: Product,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<WebhookRecord> {
  const engine = await getEngineRow(host, product, userId);
  const row = (await findWebhook(host.db, engine.id, id)) ?? webhookNotFound();
  const [record] = await webhookRecords(host, userId, [row]);
  return record ?? webhookNotFound();
}

export async function pageOfWebhooks(
  host: Host,
  product: Product,
  { userId, ...page }: PageOptions & { readonly userId: string },
): Promise<WebhookRecord[]> {
  const { id: engineId } = await getEngineRow(host, product, userId);
  return webhookRecords(host, userId, await listWebhooks(host.db, { engineId, ...page }));
}

/** Runs of a schedule or webhook, the newest first. */
export async function pageOfRuns(
  host: Host,
  product: Product,
  { userId, owner, after, limit }: PageOptions & { readonly userId: string; readonly owner: RunOwner },
): Promise<RunRecord[]> {
  const engine = await getEngineRow(host, product, userId);
  if (owner.column === "schedule_id" && (await findSchedule(host.db, engine.id, owner.id)) === null) scheduleNotFound();
  if (owner.column === "webhook_id" && (await findWebhook(host.db, engine.id, owner.id)) === null) webhookNotFound();
  return (await listRuns(host.db, { owner, before: after, limit })).map(runRecord);
}

async function scheduleRecords(host: Host, userId: string, rows: readonly ScheduleRow[]): Promise<ScheduleRecord[]> {
  const ids = rows.map(({ id }) => id);
  const last = await lastRuns(host.db, "schedule_id", ids);
  return rows.map((row) => ({
    id: row.id,
    user_id: userId,
    engine_id: row.engine_id,
    name: row.name,
    enabled: row.enabled,
    timing: row.timing,
    message: row.message,
    task_id: row.task_id,
    agent: row.agent,
    model: row.model,
    effort: row.effort,
    missed: row.missed,
    missed_limit: row.missed_limit,
    spread_s: row.spread_s,
    ends_at: timeOf(row.ends_at),
    next_due_at: timeOf(row.next_due),
    next_runs: nextRuns(row),
    last_run: runOrNull(last.get(row.id)),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
}

function nextRuns(row: ScheduleRow): string[] {
  const { next_due: due } = row;
  if (due === null) return [];
  const later = nextDues(dueTimesOf(row), { after: due.getTime(), count: SHOWN_TIMES - 1 });
  return [due.getTime(), ...later].map(isoTime);
}

async function webhookRecords(host: Host, userId: string, rows: readonly WebhookRow[]): Promise<WebhookRecord[]> {
  const ids = rows.map(({ id }) => id);
  const last = await lastRuns(host.db, "webhook_id", ids);
  return rows.map((row) => ({
    id: row.id,
    user_id: userId,
    engine_id: row.engine_id,
    name: row.name,
    enabled: row.enabled,
    path: `/webhooks/${row.id}`,
    template: row.template,
    task_id: row.task_id,
    agent: row.agent,
    model: row.model,
    effort: row.effort,
    requests_per_minute: row.requests_per_minute,
    last_run: runOrNull(last.get(row.id)),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
}

const runOrNull = (row: RunRow | undefined): RunRecord | null => (row === undefined ? null : runRecord(row));

export const runRecord = (row: RunRow): RunRecord => ({
  id: row.id,
  schedule_id: row.schedule_id,
  webhook_id: row.webhook_id,
  due_at: row.due_at.toISOString(),
  state: row.state,
  task_id: row.task_id,
  turn_id: row.turn_id,
  error: row.error,
  created_at: row.created_at.toISOString(),
  started_at: timeOf(row.started_at),
  ended_at: timeOf(row.ended_at),
});

const timeOf = (date: Date | null): string | null => date?.toISOString() ?? null;

export function scheduleNotFound(): never {
  throw new ApiError("SCHEDULE_NOT_FOUND", "the engine has no schedule with this id");
}

export function webhookNotFound(): never {
  throw new ApiError("WEBHOOK_NOT_FOUND", "the engine has no webhook with this id");
}
