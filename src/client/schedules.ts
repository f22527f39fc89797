import type { CreateScheduleRequest, CreateWebhookRequest } from "./records.ts";
import * as routes from "./orchestrator-routes.ts";
import type { CallOptions } from "./http-call.ts";
import type { ChangeOptions, OrchestratorCalls } from "./orchestrator-calls.ts";

/** Left out, the anchor is the time of the call and the time zone UTC. */
export type TimingOptions = CreateScheduleRequest["timing"];
export type ScheduleOptions = CreateScheduleRequest;
export type WebhookOptions = CreateWebhookRequest;

type ListOptions = CallOptions & { readonly pageSize?: number };

/** The calls of an engine's schedules. Fields are those of the interface. */
export const scheduleCalls = ({ call, list, change }: OrchestratorCalls) => ({
  create: (userId: string, body: ScheduleOptions, given?: ChangeOptions) =>
    change(routes.createSchedule, { ...given, userId, body }),
  list: (userId: string, given?: ListOptions) => list(routes.listSchedules, { ...given, userId }),
  get: (userId: string, scheduleId: string, given?: CallOptions) =>
    call(routes.showSchedule, { ...given, userId, scheduleId }),
  delete: (userId: string, scheduleId: string, given?: CallOptions) =>
    call(routes.deleteSchedule, { ...given, userId, scheduleId }),
  /** Its last runs, the newest first. */
  runs: (userId: string, scheduleId: string, given?: ListOptions) =>
    list(routes.listRuns, { ...given, userId, scheduleId }),
  /** Fields that are left out stay; `enabled` pauses and resumes. `timing` is replaced as a whole. */
  change: (userId: string, scheduleId: string, body: Partial<ScheduleOptions>, given?: CallOptions) =>
    call(routes.changeSchedule, { ...given, userId, scheduleId, body }),
  /** Starts a run now and resolves before its turn ends. */
  run: (userId: string, scheduleId: string, given?: ChangeOptions) =>
    change(routes.runSchedule, { ...given, userId, scheduleId }),
});

/** The calls of an engine's webhooks. */
export const webhookCalls = ({ call, list, change }: OrchestratorCalls) => ({
  create: (userId: string, body: WebhookOptions, given?: ChangeOptions) =>
    change(routes.createWebhook, { ...given, userId, body }),
  list: (userId: string, given?: ListOptions) => list(routes.listWebhooks, { ...given, userId }),
  get: (userId: string, webhookId: string, given?: CallOptions) =>
    call(routes.showWebhook, { ...given, userId, webhookId }),
  delete: (userId: string, webhookId: string, given?: CallOptions) =>
    call(routes.deleteWebhook, { ...given, userId, webhookId }),
  /** Its last runs, the newest first. */
  runs: (userId: string, webhookId: string, given?: ListOptions) =>
    list(routes.listWebhookRuns, { ...given, userId, webhookId }),
  /** Fields that are left out stay; `enabled` pauses and resumes. */
  change: (userId: string, webhookId: string, body: Partial<WebhookOptions>, given?: CallOptions) =>
    call(routes.changeWebhook, { ...given, userId, webhookId, body }),
  /** `graceS`: how long the old secret stays valid. Not retried after a lost response: each try makes another one. */
  rotateSecret: (userId: string, webhookId: string, given?: ChangeOptions & { readonly graceS?: number | undefined }) =>
    change(routes.rotateWebhookSecret, { ...given, userId, webhookId }),
});
