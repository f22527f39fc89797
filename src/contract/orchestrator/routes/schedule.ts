import {
  SCHEDULE_LIMITS,
  runRequest,
  schedulePatch,
  scheduleRequest,
  webhookPatch,
  webhookRequest,
  webhookSecretRequest,
} from "../schedule-requests.ts";
import { WEBHOOK_HEADERS } from "../webhook-signature.ts";
import { PAGE, json, ok } from "../../route-table.ts";
import { IDEMPOTENCY, LARGE_BODY_BYTES, type Route, platform, webhook } from "./route-row.ts";

const ENGINE = ["ENGINE_NOT_FOUND"] as const;
const SCHEDULE = [...ENGINE, "SCHEDULE_NOT_FOUND"] as const;
const WEBHOOK = [...ENGINE, "WEBHOOK_NOT_FOUND"] as const;
/** The body limit for a message of 32 KiB, even fully escaped. */
const SCHEDULE_BODY_BYTES = 6 * SCHEDULE_LIMITS.messageBytes + LARGE_BODY_BYTES;

/** Schedules and webhooks of an engine, for products; and the address that webhooks' messages are sent to. */
export const SCHEDULE_ROUTES = {
  createSchedule: platform("POST /engines/{user_id}/schedules", "Create a [schedule](schedules.md)", {
    role: "operator",
    headers: IDEMPOTENCY,
    request: scheduleRequest,
    maxBodyBytes: SCHEDULE_BODY_BYTES,
    timeout: "boot",
    responses: { 201: [json("ScheduleRecord")] },
    errors: [...ENGINE, "POLICY_DENIED", "QUOTA_EXCEEDED"],
  }),
  listSchedules: platform(
    "GET /engines/{user_id}/schedules",
    "List the schedules of an engine, with their next and last runs",
    { role: "operator", query: PAGE, responses: ok("SchedulePage"), errors: ENGINE },
  ),
  showSchedule: platform("GET /engines/{user_id}/schedules/{schedule_id}", "Get a schedule", {
    role: "operator",
    responses: ok("ScheduleRecord"),
    errors: SCHEDULE,
  }),
  changeSchedule: platform("PATCH /engines/{user_id}/schedules/{schedule_id}", "Change, pause or resume a schedule", {
    role: "operator",
    request: schedulePatch,
    maxBodyBytes: SCHEDULE_BODY_BYTES,
    responses: ok("ScheduleRecord"),
    errors: [...SCHEDULE, "POLICY_DENIED"],
  }),
  deleteSchedule: platform("DELETE /engines/{user_id}/schedules/{schedule_id}", "Delete a schedule and its runs", {
    role: "operator",
    responses: ok("ScheduleDeleted"),
    errors: SCHEDULE,
  }),
  runSchedule: platform("POST /engines/{user_id}/schedules/{schedule_id}/run", "Run a schedule now", {
    role: "operator",
    headers: IDEMPOTENCY,
    request: runRequest,
    timeout: "boot",
    responses: { 202: [json("RunRecord")] },
    errors: [...SCHEDULE, "POLICY_DENIED"],
  }),
  listRuns: platform(
    "GET /engines/{user_id}/schedules/{schedule_id}/runs",
    "List the runs of a schedule, newest first",
    { role: "operator", query: PAGE, responses: ok("RunPage"), errors: SCHEDULE },
  ),
  createWebhook: platform("POST /engines/{user_id}/webhooks", "Create a [webhook](schedules.md#webhooks)", {
    role: "operator",
    headers: IDEMPOTENCY,
    request: webhookRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    timeout: "boot",
    responses: { 201: [json("WebhookWithSecret")] },
    errors: [...ENGINE, "POLICY_DENIED", "QUOTA_EXCEEDED"],
  }),
  listWebhooks: platform("GET /engines/{user_id}/webhooks", "List the webhooks of an engine", {
    role: "operator",
    query: PAGE,
    responses: ok("WebhookPage"),
    errors: ENGINE,
  }),
  showWebhook: platform("GET /engines/{user_id}/webhooks/{webhook_id}", "Get a webhook, without its secret", {
    role: "operator",
    responses: ok("WebhookRecord"),
    errors: WEBHOOK,
  }),
  changeWebhook: platform("PATCH /engines/{user_id}/webhooks/{webhook_id}", "Change, pause or resume a webhook", {
    role: "operator",
    request: webhookPatch,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: ok("WebhookRecord"),
    errors: [...WEBHOOK, "POLICY_DENIED"],
  }),
  deleteWebhook: platform("DELETE /engines/{user_id}/webhooks/{webhook_id}", "Delete a webhook and its runs", {
    role: "operator",
    responses: ok("WebhookDeleted"),
    errors: WEBHOOK,
  }),
  rotateWebhookSecret: platform(
    "POST /engines/{user_id}/webhooks/{webhook_id}/rotate-secret",
    "Replace a webhook's secret",
    {
      role: "operator",
      headers: IDEMPOTENCY,
      request: webhookSecretRequest,
      repeatable: false,
      timeout: "boot",
      responses: ok("WebhookWithSecret"),
      errors: [...WEBHOOK, "POLICY_DENIED"],
    },
  ),
  listWebhookRuns: platform(
    "GET /engines/{user_id}/webhooks/{webhook_id}/runs",
    "List the runs of a webhook, newest first",
    { role: "operator", query: PAGE, responses: ok("RunPage"), errors: WEBHOOK },
  ),
  receiveWebhook: webhook("POST /webhooks/{webhook_id}", "Start a turn by a signed message", {
    headers: {
      [WEBHOOK_HEADERS.id]: { kind: "text", maxLength: 255, summary: "The same id starts one turn" },
      [WEBHOOK_HEADERS.timestamp]: { kind: "text", summary: "Seconds since the epoch, at most 300 s from now" },
      [WEBHOOK_HEADERS.signature]: { kind: "text", summary: "As Standard Webhooks define it, `v1`" },
    },
    rawBody: true,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 202: [json("WebhookAccepted")] },
    errors: ["INVALID_SIGNATURE", "POLICY_DENIED", "RATE_LIMITED"],
  }),
} satisfies Record<string, Route>;
