import * as z from "zod/mini";
import type {
  CatalogRemark,
  CatalogShown,
  CatalogEntry,
  CatalogReloaded,
  CatalogVersionUsed,
  CoreSoulReloaded,
  EngineErrorBody,
  EngineHealth,
  KnowledgeHit,
  LearningBatch,
  PendingRequest,
  ReplayPage,
  ServerAsset,
  ShownDefinition,
} from "./engine-records.ts";
import { type EngineStatus, engineMetricsReport } from "./engine-control.ts";
import { budgetReport } from "./engine-budgets.ts";
import { ENGINE_ERRORS, type EngineErrorCode } from "./engine-errors.ts";
import { engineEvent } from "./engine-event-schemas.ts";
import { usageReport } from "./metered-usage.ts";
import { MEMORY_RESPONSES } from "./memory-responses.ts";
import { startedTurn } from "./started-turn.ts";
import { TURN_RESPONSES } from "./turn-responses.ts";
import { AWAKE_REASONS } from "./sleep.ts";
import { count, jsonObject, openApiDocument, text, textOrNull, time, timeOrNull } from "./response-schemas.ts";

const health = z.object({
  status: z.literal("ok"),
  engine_id: text,
  incarnation: text,
  version: text,
  uptime_s: count,
  loaded: z.boolean(),
  active_turns: count,
  pending_hitl: count,
  streams: count,
  core_soul_hash: textOrNull,
  model: z.exactOptional(
    z.object({
      status: z.enum(["unknown", "ok", "retrying", "failing"]),
      last_error: textOrNull,
      last_error_at: timeOrNull,
      next_try_at: timeOrNull,
    }),
  ),
  memory_reset: z.exactOptional(z.object({ at: time, old_file: text, reason: text })),
}) satisfies z.ZodMiniType<EngineHealth>;

const pendingRequest = z.object({
  request_id: text,
  kind: z.enum(["question", "permission"]),
  question: text,
  context: jsonObject,
  options: z.array(text),
  task_id: text,
  turn_id: text,
  created_at: time,
}) satisfies z.ZodMiniType<PendingRequest>;

const definition = z.object({
  description: text,
  read_only: z.boolean(),
  input_schema: jsonObject,
  definition: text,
}) satisfies z.ZodMiniType<ShownDefinition>;

const server = z.object({
  name: text,
  transport: z.enum(["stdio", "http", "sse"]),
  status: z.enum(["connecting", "ready", "held", "restarting", "failed"]),
  tools: z.array(
    z.object({
      name: text,
      tool: text,
      description: text,
      read_only: z.boolean(),
      definition: text,
      permission: z.enum(["allow", "ask", "deny"]),
      status: z.enum(["offered", "held", "denied", "left_out"]),
      reason: z.exactOptional(text),
      note: z.exactOptional(text),
      held: z.exactOptional(z.object({ now: definition, was: definition })),
    }),
  ),
  protocol_version: z.exactOptional(text),
  error: z.exactOptional(text),
  next_try_in_s: z.exactOptional(count),
  stderr: z.exactOptional(z.array(text)),
}) satisfies z.ZodMiniType<ServerAsset>;

const hit = z.object({
  id: text,
  kind: z.enum(["episode", "fact", "note"]),
  bearing: z.enum(["answers", "touches"]),
  key: text,
  content: text,
  score: z.number(),
  source: text,
  trust: text,
  created_at: time,
  event_time: time,
  valid_from: timeOrNull,
  valid_to: timeOrNull,
  evidence: z.array(text),
}) satisfies z.ZodMiniType<KnowledgeHit>;

const entries = z.array(z.object({ name: text, description: text }) satisfies z.ZodMiniType<CatalogEntry>);
const remarks = z.array(
  z.object({ path: text, line: z.optional(count), message: text }) satisfies z.ZodMiniType<CatalogRemark>,
);

/** The schemas of all response bodies of the engine, by their names in the OpenAPI document. */
export const ENGINE_RESPONSES = {
  EngineHealth: health,
  EngineEvent: engineEvent,
  ReplayPage: z.object({
    events: z.array(engineEvent),
    next_after: textOrNull,
    truncated: z.boolean(),
    oldest_ts: timeOrNull,
  }) satisfies z.ZodMiniType<ReplayPage>,
  Cancelled: z.object({ cancelled: z.boolean() }),
  Resolved: z.object({ request_id: text, status: z.literal("resolved") }),
  ...TURN_RESPONSES,
  PendingRequests: z.object({ requests: z.array(pendingRequest) }),
  KnowledgeHits: z.object({ results: z.array(hit) }),
  Servers: z.object({ servers: z.array(server), errors: z.exactOptional(remarks) }),
  ToolsAllowed: z.object({ allowed: z.literal(true) }),
  ...MEMORY_RESPONSES,
  LearningBatch: z.object({
    batch_id: text,
    trajectories: count,
    episodes: count,
    knowledge_added: count,
    knowledge_closed: count,
    nodes: count,
    skills_drafted: count,
    duration_ms: count,
  }) satisfies z.ZodMiniType<LearningBatch>,
  CatalogShown: z.object({
    agents: entries,
    skills: entries,
    tools: entries,
    errors: remarks,
    warnings: remarks,
  }) satisfies z.ZodMiniType<CatalogShown>,
  CatalogReloaded: z.object({
    agents: count,
    skills: count,
    tools: count,
    servers: count,
    errors: remarks,
    warnings: remarks,
  }) satisfies z.ZodMiniType<CatalogReloaded>,
  CatalogVersionUsed: z.object({ version: z.nullable(count) }) satisfies z.ZodMiniType<CatalogVersionUsed>,
  CoreSoulReloaded: z.object({ hash: text, bytes: count }) satisfies z.ZodMiniType<CoreSoulReloaded>,
  KeysAccepted: z.object({ keys: count }),
  EngineStatus: z.object({
    active_turns: count,
    pending_hitl: count,
    streams: count,
    draining: z.boolean(),
    last_active_at: timeOrNull,
    idle_since: timeOrNull,
    awake: z.array(z.enum(AWAKE_REASONS)),
    disk_bytes: z.optional(z.nullable(count)),
    metrics: z.exactOptional(engineMetricsReport),
    usage_revision: z.optional(count),
    budgets: z.exactOptional(budgetReport),
    usage: z.exactOptional(usageReport),
  }) satisfies z.ZodMiniType<EngineStatus>,
  StartedTurn: startedTurn,
  FoundTurn: z.object({ turn: z.nullable(startedTurn) }),
  OpenApiDocument: openApiDocument,
  Error: z.object({
    error: z.enum(Object.keys(ENGINE_ERRORS) as [EngineErrorCode, ...EngineErrorCode[]]),
    message: text,
    details: z.exactOptional(jsonObject),
  }) satisfies z.ZodMiniType<EngineErrorBody>,
} as const satisfies Record<string, z.ZodMiniType>;
export type EngineResponseName = keyof typeof ENGINE_RESPONSES;
