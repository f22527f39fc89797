import { newId } from "../../shared/ids.ts";
import type { HostContext } from "../host-context.ts";
import type { ScheduleRow, WebhookRow } from "../store/schedule-tables.ts";
import type { NewRun } from "../store/scheduled-runs.ts";
import { sealTurn } from "../supervision/start-run.ts";

const HOUR_MS = 3_600_000;
/** The latest start of a run. Engines keep the keys of turns for a day, so a retried start is found. */
const MAX_START_MS = 12 * HOUR_MS;

interface RunOptions {
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  /** Unique for each run of its schedule or webhook. Default: the run's id. */
  readonly key?: string;
}

/** A new run of a schedule, to be started within an hour, or within 12 hours if the schedule catches up missed runs. */
export function newRun(host: Pick<HostContext, "box" | "now">, schedule: ScheduleRow, options: RunOptions): NewRun {
  const { id, message, missed } = schedule;
  const startMs = missed === "skip" ? HOUR_MS : MAX_START_MS;
  return {
    ...waitingRun(host, schedule, { ...options, message, startMs, owner: { schedule_id: id } }),
    schedule_id: id,
  };
}

/** A new run of a webhook, to be started within 12 hours. */
export function newWebhookRun(
  host: Pick<HostContext, "box" | "now">,
  webhook: WebhookRow,
  { id, key, message }: { readonly id: string; readonly key: string; readonly message: string },
): NewRun {
  const options = { id, key, dueAt: host.now(), message, startMs: MAX_START_MS, owner: { webhook_id: webhook.id } };
  return { ...waitingRun(host, webhook, options), webhook_id: webhook.id };
}

function waitingRun(
  host: Pick<HostContext, "box" | "now">,
  source: Pick<ScheduleRow, "engine_id" | "product_id" | "host_id" | "task_id" | "agent" | "model" | "effort">,
  {
    id = newId("run"),
    dueAt,
    key = id,
    message,
    startMs,
    owner,
  }: RunOptions & {
    readonly id?: string;
    readonly message: string;
    readonly startMs: number;
    readonly owner: Readonly<Record<string, string>>;
  },
): NewRun {
  const { engine_id, product_id, host_id, agent, model, effort } = source;
  const task_id = source.task_id ?? id;
  const metadata = { run_id: id, ...owner };
  return {
    id,
    engine_id,
    product_id,
    host_id,
    schedule_id: null,
    webhook_id: null,
    key,
    due_at: new Date(dueAt),
    state: "waiting",
    request: sealTurn(host, {
      message,
      task_id,
      metadata,
      ...(agent !== null && { agent }),
      ...(model !== null && { model }),
      ...(effort !== null && { effort }),
    }),
    task_id,
    turn_id: null,
    error: null,
    start_by: new Date(host.now() + startMs),
    started_at: null,
    ended_at: null,
  };
}
