import type { Page } from "../contract/orchestrator-records.ts";
import type {
  MissedPolicy,
  RunRecord,
  ScheduleRecord,
  ScheduleTiming,
  WebhookRecord,
} from "../contract/schedule-records.ts";
import { pathSegment, queryOf } from "./address.ts";
import { type CallOptions, callJson } from "./http-call.ts";
import type { ChangeOptions, OrchestratorCalls } from "./orchestrator-calls.ts";
import { readPages } from "./pages.ts";

/** Left out, the anchor is the time of the call and the time zone UTC. */
export type TimingOptions =
  | Extract<ScheduleTiming, { kind: "at" }>
  | { readonly kind: "cron"; readonly cron: string; readonly time_zone?: string }
  | { readonly kind: "every"; readonly every_s: number; readonly anchor_at?: string };

interface TurnOptions {
  /** The conversation of every run. Null or left out: each run has one of its own. */
  readonly task_id?: string | null;
  readonly agent?: string | null;
  readonly enabled?: boolean;
}

export interface ScheduleOptions extends TurnOptions {
  readonly name: string;
  readonly timing: TimingOptions;
  readonly message: string;
  readonly missed?: MissedPolicy;
  readonly missed_limit?: number;
  readonly spread_s?: number;
  readonly ends_at?: string | null;
}

export interface WebhookOptions extends TurnOptions {
  readonly name: string;
  readonly template: string;
  readonly requests_per_minute?: number;
}

/** The secret is returned once. It is null after a retry whose first response was lost: `rotateSecret` makes another. */
export type WebhookWithSecret = WebhookRecord & { readonly secret: string | null };

type ListOptions = CallOptions & { readonly pageSize?: number };

/** The calls of an engine's schedules. Fields are those of the interface. */
export function scheduleCalls(calls: OrchestratorCalls) {
  const { change } = calls;
  const { listOf, update, ...one } = collectionOf<ScheduleRecord>(calls, "schedules");
  return {
    create: async (userId: string, options: ScheduleOptions, call?: ChangeOptions) =>
      change<ScheduleRecord>(listOf(userId), options, call),
    ...one,
    /** Fields that are left out stay; `enabled` pauses and resumes. `timing` is replaced as a whole. */
    change: (userId: string, id: string, patch: Partial<ScheduleOptions>, call?: CallOptions) =>
      update(userId, id, patch, call),
    /** Starts a run now and resolves before its turn ends. */
    run: async (userId: string, id: string, call?: ChangeOptions) =>
      change<RunRecord>(`${listOf(userId)}/${pathSegment("id", id, "schedule.id")}/run`, {}, call),
  };
}

/** The calls of an engine's webhooks. */
export function webhookCalls(calls: OrchestratorCalls) {
  const { change } = calls;
  const { listOf, update, ...one } = collectionOf<WebhookRecord>(calls, "webhooks");
  return {
    create: async (userId: string, options: WebhookOptions, call?: ChangeOptions) =>
      change<WebhookWithSecret>(listOf(userId), options, call),
    ...one,
    /** Fields that are left out stay; `enabled` pauses and resumes. */
    change: (userId: string, id: string, patch: Partial<WebhookOptions>, call?: CallOptions) =>
      update(userId, id, patch, call),
    /** `graceS`: how long the old secret stays valid. Not retried after a lost response: each try makes another one. */
    rotateSecret: async (
      userId: string,
      id: string,
      { graceS, ...call }: ChangeOptions & { readonly graceS?: number | undefined } = {},
    ) =>
      change<WebhookWithSecret>(
        `${listOf(userId)}/${pathSegment("id", id, "webhook.id")}/rotate-secret`,
        { grace_s: graceS },
        { ...call, repeatable: false },
      ),
  };
}

/** The calls that schedules and webhooks share. */
function collectionOf<T>({ service, get, engine }: OrchestratorCalls, name: "schedules" | "webhooks") {
  const listOf = (userId: string): string => `${engine(userId, `${name}.list("alice")`)}/${name}`;
  const pathOf = (userId: string, id: string): string => `${listOf(userId)}/${pathSegment("id", id, `${name}[0].id`)}`;
  const pagesOf = <Item>(path: string, { pageSize = 200, signal }: ListOptions = {}): AsyncGenerator<Item> =>
    readPages((cursor) => get<Page<Item>>(`${path}${queryOf({ limit: pageSize, cursor })}`, { signal }));
  return {
    listOf,
    list: (userId: string, options?: ListOptions) => pagesOf<T>(listOf(userId), options),
    get: async (userId: string, id: string, { signal }: CallOptions = {}) => get<T>(pathOf(userId, id), { signal }),
    update: async (userId: string, id: string, patch: object, { signal }: CallOptions = {}) =>
      callJson<T>(service, { method: "PATCH", path: pathOf(userId, id), body: patch, signal }),
    delete: async (userId: string, id: string, { signal }: CallOptions = {}) =>
      callJson<{ readonly deleted: true }>(service, { method: "DELETE", path: pathOf(userId, id), signal }),
    /** Its last runs, the newest first. */
    runs: (userId: string, id: string, options?: ListOptions) =>
      pagesOf<RunRecord>(`${pathOf(userId, id)}/runs`, options),
  };
}
