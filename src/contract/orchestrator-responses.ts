import * as z from "zod/mini";
import type { AuditRecord } from "./audit-chain.ts";
import { ORCHESTRATOR_ERRORS, type OrchestratorErrorCode } from "./orchestrator-errors.ts";
import { type EventRecord, type EventType, GAP_EVENT, ORCHESTRATOR_EVENTS } from "./orchestrator-events.ts";
import {
  type DaemonHealth,
  type DaemonReady,
  ENGINE_STATES,
  type EngineRecord,
  type ErrorBody,
  type Page,
  type ProductRecord,
  type StopResult,
} from "./orchestrator-records.ts";
import { CATALOG_RESPONSES } from "./responses/catalog-responses.ts";
import { CONSOLE_RESPONSES } from "./responses/console-responses.ts";
import { backupList, backupRun, hostReport, hostStatus } from "./responses/host-responses.ts";
import { SCHEDULE_RESPONSES } from "./responses/schedule-responses.ts";
import { productRecord } from "./responses/product-responses.ts";
import { pricesRecord, usagePage } from "./responses/usage-responses.ts";
import { AWAKE_REASONS, SLEEP_REASONS, WAKE_REASONS } from "./sleep.ts";
import { count, jsonObject, openApiDocument, text, textOrNull, time, timeOrNull } from "./response-schemas.ts";

const engineState = z.enum(ENGINE_STATES);
const errorCode = z.enum(Object.keys(ORCHESTRATOR_ERRORS) as [OrchestratorErrorCode, ...OrchestratorErrorCode[]]);
const limit = z.nullable(count);

const engineRecord = z.object({
  id: text,
  product_id: text,
  user_id: text,
  state: engineState,
  running: z.boolean(),
  desired_state: z.enum(["running", "stopped", "destroyed"]),
  port: count,
  url: text,
  incarnation: text,
  pid: z.nullable(count),
  version: textOrNull,
  api_key: z.object({ prefix: text, last4: text, created_at: time, previous_expires_at: timeOrNull }),
  health: z.object({
    status: z.enum(["unknown", "ok", "failing"]),
    last_ok_at: timeOrNull,
    consecutive_failures: count,
  }),
  restarts: z.object({ count, window_started_at: timeOrNull, next_at: timeOrNull }),
  usage: z.nullable(
    z.object({
      cpu_percent: z.nullable(z.number()),
      memory_mb: count,
      disk_mb: limit,
      active_turns: limit,
      work: z.nullable(z.object({ turns: count, failed_turns: count, tokens: count })),
      sampled_at: time,
    }),
  ),
  catalog: z.nullable(z.object({ version: z.nullable(count), error: textOrNull })),
  last_error: z.nullable(
    z.object({
      phase: z.enum(["boot", "run", "stop"]),
      reason: text,
      exit_code: z.nullable(z.int()),
      signal: textOrNull,
      oom: z.boolean(),
      log_tail: z.array(text),
      at: time,
    }),
  ),
  sleep: z.nullable(z.object({ since: time, reason: z.enum(SLEEP_REASONS) })),
  awake: z.nullable(
    z.object({
      woken_by: z.nullable(z.enum(WAKE_REASONS)),
      kept_by: z.array(z.enum(AWAKE_REASONS)),
      idle_since: timeOrNull,
    }),
  ),
  stop_reason: textOrNull,
  last_active_at: timeOrNull,
  created_at: time,
  started_at: timeOrNull,
  stopped_at: timeOrNull,
  metadata: jsonObject,
}) satisfies z.ZodMiniType<EngineRecord>;

const eventRecord = z.object({
  id: text,
  type: z.enum(Object.keys(ORCHESTRATOR_EVENTS) as [EventType, ...EventType[]]),
  time,
  product_id: textOrNull,
  user_id: textOrNull,
  engine_id: textOrNull,
  incarnation: textOrNull,
  from: z.nullable(engineState),
  to: z.nullable(engineState),
  reason: textOrNull,
  actor: z.enum(["product", "admin", "orchd"]),
  request_id: textOrNull,
  data: jsonObject,
}) satisfies z.ZodMiniType<EventRecord>;

/** One frame of an event stream as an object: its `event:` line, and its `data:` line read as JSON. */
const eventFrame = z.union([
  z.object({ event: eventRecord.shape.type, data: eventRecord }),
  z.object({ event: z.literal(GAP_EVENT), data: z.object({ after: textOrNull }) }),
]);

const auditRecord = z.object({
  seq: count,
  entry: text,
  prev_hash: text,
  hash: text,
}) satisfies z.ZodMiniType<AuditRecord>;

const page = <Item extends z.ZodMiniType>(item: Item) => z.object({ data: z.array(item), next_cursor: textOrNull });

/** The schemas of all response bodies of the orchestrator, by their names in the OpenAPI document. */
export const ORCHESTRATOR_RESPONSES = {
  DaemonHealth: z.object({
    status: z.literal("ok"),
    version: text,
    uptime_s: count,
    role: z.enum(["leader", "follower"]),
    leader: textOrNull,
  }) satisfies z.ZodMiniType<DaemonHealth>,
  DaemonReady: z.object({
    status: z.literal("ready"),
    version: text,
    role: z.enum(["leader", "follower"]),
    leader: textOrNull,
  }) satisfies z.ZodMiniType<DaemonReady>,
  ProductRecord: productRecord,
  ProductWithKey: z.extend(productRecord, {
    /** Null in the replay of an `Idempotency-Key`. */
    platform_api_key: textOrNull,
  }),
  ProductPage: page(productRecord) satisfies z.ZodMiniType<Page<ProductRecord>>,
  ...CATALOG_RESPONSES,
  ProductDeleted: z.object({ deleted: z.literal(true) }),
  EngineRecord: engineRecord,
  EngineWithKey: z.extend(engineRecord, {
    /** Null for an engine that existed, and in the replay of an `Idempotency-Key`. */
    engine_api_key: textOrNull,
  }),
  EngineKeyRotated: z.extend(engineRecord, { engine_api_key: textOrNull, previous_key_expires_at: time }),
  EngineStopped: z.extend(engineRecord, {
    stop_result: z.enum(["drained", "cut_off", "killed"]) satisfies z.ZodMiniType<StopResult>,
  }),
  EnginePage: page(engineRecord) satisfies z.ZodMiniType<Page<EngineRecord>>,
  EngineDestroyed: z.object({ destroyed: z.literal(true) }),
  EventRecord: eventRecord,
  EventFrame: eventFrame,
  EventPage: page(eventRecord) satisfies z.ZodMiniType<Page<EventRecord>>,
  ...SCHEDULE_RESPONSES,
  HostStatus: hostStatus,
  BackupRun: backupRun,
  UsagePage: usagePage,
  PricesRecord: pricesRecord,
  BackupList: backupList,
  HostReport: hostReport,
  ...CONSOLE_RESPONSES,
  AuditPage: page(auditRecord) satisfies z.ZodMiniType<Page<AuditRecord>>,
  OpenApiDocument: openApiDocument,
  Error: z.object({
    error: z.object({ code: errorCode, message: text, details: z.optional(jsonObject) }),
  }) satisfies z.ZodMiniType<ErrorBody>,
} as const satisfies Record<string, z.ZodMiniType>;
export type OrchestratorResponseName = keyof typeof ORCHESTRATOR_RESPONSES;
