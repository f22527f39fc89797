import {
  ENGINE_BODY_BYTES,
  allowToolsRequest,
  cancelRequest,
  decideSkillRequest,
  executeRequest,
  hitlRespondRequest,
  knowledgeSearchRequest,
} from "./engine-api.ts";
import { controlKeysRequest } from "./engine-control.ts";
import type { EngineErrorCode } from "./engine-errors.ts";
import { ENGINE_PATHS, type EngineRouteName } from "./engine-paths.ts";
import type { EngineResponseName } from "./engine-responses.ts";
import { type IntegerParameter, type Parameter, type RouteRow, events, json, lines } from "./route-table.ts";

/** `control`: the daemon's own calls. For a caller without the incarnation's token these routes do not exist. */
export type EngineAuthentication = "none" | "engine" | "control";
export type EngineRoute = RouteRow<EngineAuthentication, EngineResponseName, EngineErrorCode>;

export const engineBodyBytes = (route: EngineRoute): number => route.maxBodyBytes ?? ENGINE_BODY_BYTES.other;

/** Bytes of the file that `POST /memory/import` takes. */
export const MAX_MEMORY_FILE_BYTES = 2 * 1024 ** 3;

export const MEMORY_PAGE_LIMIT: IntegerParameter = {
  kind: "integer",
  min: 1,
  max: 200,
  fallback: 50,
  summary: "Page size",
};
export const REPLAY_LIMIT: IntegerParameter = {
  kind: "integer",
  min: 1,
  max: 10_000,
  fallback: 1000,
  summary: "Largest number of events. A stream without it has no limit",
};
const PAGE = {
  limit: MEMORY_PAGE_LIMIT,
  cursor: { kind: "text", summary: "`next_cursor` of the previous page of the same list" },
} as const satisfies Record<string, Parameter>;
const IDS = { ids: { kind: "text", summary: "`1` adds an `id:` line to each frame" } } as const satisfies Record<
  string,
  Parameter
>;
const LAST_EVENT = {
  "Last-Event-ID": { kind: "text", summary: "The last `seq` or `ts` received; adds an `id:` line to each frame" },
} as const satisfies Record<string, Parameter>;

/** Every route of the engine. Another path is 404, another method on one of these paths 405. */
export const ENGINE_ROUTES = {
  health: {
    ...ENGINE_PATHS.health,
    auth: "none",
    summary: "Liveness and load",
    responses: { 200: [json("EngineHealth")] },
  },
  execute: {
    ...ENGINE_PATHS.execute,
    auth: "engine",
    summary: "Run a turn of a task and stream its events",
    query: IDS,
    headers: {
      "Idempotency-Key": {
        kind: "text",
        maxLength: 255,
        summary: "The same key and body within 24 h attaches to the turn of the first call",
      },
      ...LAST_EVENT,
    },
    request: executeRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.execute,
    responses: { 200: [events("EngineEvent")] },
    errors: ["NOT_FOUND", "TASK_BUSY", "IDEMPOTENCY_CONFLICT", "TOO_MANY_READERS", "ENGINE_DRAINING"],
  },
  replay: {
    ...ENGINE_PATHS.replay,
    auth: "engine",
    summary: "Stored events after a cursor; a stream with `Accept: text/event-stream`",
    query: {
      after: { kind: "text", summary: "ISO 8601 timestamp or `seq`, exclusive" },
      task_id: { kind: "text", summary: "Only of this task" },
      turn_id: { kind: "text", summary: "Only of this turn" },
      limit: REPLAY_LIMIT,
      follow: { kind: "flag", summary: "With `Accept: text/event-stream`: continue with live events" },
      ...IDS,
    },
    headers: LAST_EVENT,
    responses: { 200: [json("ReplayPage"), events("EngineEvent")] },
    errors: ["TOO_MANY_READERS"],
  },
  cancel: {
    ...ENGINE_PATHS.cancel,
    auth: "engine",
    summary: "Cancel the turn of a task",
    request: cancelRequest,
    responses: { 200: [json("Cancelled")] },
  },
  respond: {
    ...ENGINE_PATHS.respond,
    auth: "engine",
    summary: "Answer a human-in-the-loop request",
    request: hitlRespondRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.respond,
    responses: { 200: [json("Resolved")] },
    errors: ["HITL_NOT_FOUND", "HITL_ALREADY_ANSWERED"],
  },
  pending: {
    ...ENGINE_PATHS.pending,
    auth: "engine",
    summary: "Open human-in-the-loop requests",
    responses: { 200: [json("PendingRequests")] },
  },
  searchMemory: {
    ...ENGINE_PATHS.searchMemory,
    auth: "engine",
    summary: "Search episodes, facts and notes",
    request: knowledgeSearchRequest,
    responses: { 200: [json("KnowledgeHits")] },
  },
  listServers: {
    ...ENGINE_PATHS.listServers,
    auth: "engine",
    summary: "MCP servers and their tools",
    responses: { 200: [json("Servers")] },
  },
  allowTools: {
    ...ENGINE_PATHS.allowTools,
    auth: "engine",
    summary: "Allow changed tools of an MCP server",
    request: allowToolsRequest,
    responses: { 200: [json("ToolsAllowed")] },
    errors: ["NOT_FOUND"],
  },
  listEpisodes: {
    ...ENGINE_PATHS.listEpisodes,
    auth: "engine",
    summary: "Episodes: rounds of one question and its answer",
    query: PAGE,
    responses: { 200: [json("EpisodePage")] },
  },
  listKnowledge: {
    ...ENGINE_PATHS.listKnowledge,
    auth: "engine",
    summary: "Facts",
    query: PAGE,
    responses: { 200: [json("KnowledgePage")] },
  },
  listSocial: {
    ...ENGINE_PATHS.listSocial,
    auth: "engine",
    summary: "People and things, with their relations",
    query: PAGE,
    responses: { 200: [json("SocialPage")] },
  },
  listWorking: {
    ...ENGINE_PATHS.listWorking,
    auth: "engine",
    summary: "The working memory log",
    query: PAGE,
    responses: { 200: [json("WorkingMemoryPage")] },
  },
  listTrajectories: {
    ...ENGINE_PATHS.listTrajectories,
    auth: "engine",
    summary: "Trajectories, one for each turn",
    query: PAGE,
    responses: { 200: [json("TrajectoryPage")] },
  },
  exportMemory: {
    ...ENGINE_PATHS.exportMemory,
    auth: "engine",
    summary: "Export the whole memory as JSON lines",
    responses: { 200: [lines("MemoryFileLine")] },
    errors: ["MEMORY_BUSY"],
  },
  importMemory: {
    ...ENGINE_PATHS.importMemory,
    auth: "engine",
    summary: "Import an exported memory",
    requestLines: "MemoryFileLine",
    maxBodyBytes: MAX_MEMORY_FILE_BYTES,
    responses: { 200: [json("MemoryImported")] },
    errors: ["MEMORY_BUSY"],
  },
  eraseMemory: {
    ...ENGINE_PATHS.eraseMemory,
    auth: "engine",
    summary: "Erase the whole memory",
    responses: { 200: [json("MemoryErased")] },
    errors: ["TASK_BUSY", "LC_RUNNING", "MEMORY_BUSY"],
  },
  listSkills: {
    ...ENGINE_PATHS.listSkills,
    auth: "engine",
    summary: "Skills that learning has drafted",
    responses: { 200: [json("SkillDrafts")] },
  },
  decideSkill: {
    ...ENGINE_PATHS.decideSkill,
    auth: "engine",
    summary: "Allow or refuse a drafted skill",
    request: decideSkillRequest,
    responses: { 200: [json("SkillDecided")] },
    errors: ["NOT_FOUND", "HITL_ALREADY_ANSWERED", "CATALOG_INVALID"],
  },
  triggerLearning: {
    ...ENGINE_PATHS.triggerLearning,
    auth: "engine",
    summary: "Run a learning batch",
    responses: { 200: [json("LearningBatch")] },
    errors: ["LC_RUNNING", "LLM_RATE_LIMITED", "LLM_PROVIDER_ERROR", "ENGINE_DRAINING"],
  },
  reloadCatalog: {
    ...ENGINE_PATHS.reloadCatalog,
    auth: "engine",
    summary: "Reload the catalog",
    responses: { 200: [json("CatalogReloaded")] },
    errors: ["CATALOG_INVALID"],
  },
  reloadCoreSoul: {
    ...ENGINE_PATHS.reloadCoreSoul,
    auth: "engine",
    summary: "Reload the core soul",
    responses: { 200: [json("CoreSoulReloaded")] },
    errors: ["CORE_SOUL_INVALID"],
  },
  openapi: {
    ...ENGINE_PATHS.openapi,
    auth: "none",
    summary: "This interface as an OpenAPI 3.1 document",
    responses: { 200: [json("OpenApiDocument")] },
  },
  docs: {
    ...ENGINE_PATHS.docs,
    auth: "none",
    summary: "This interface as a page",
    responses: { 200: [{ kind: "html" }] },
  },
  setKeys: {
    ...ENGINE_PATHS.setKeys,
    auth: "control",
    summary: "Replace the accepted engine keys",
    request: controlKeysRequest,
    responses: { 200: [json("KeysAccepted")] },
  },
  drain: {
    ...ENGINE_PATHS.drain,
    auth: "control",
    summary: "Take no new turns",
    responses: { 200: [json("EngineStatus")] },
  },
  status: {
    ...ENGINE_PATHS.status,
    auth: "control",
    summary: "Turns, requests and streams",
    responses: { 200: [json("EngineStatus")] },
  },
} as const satisfies Record<EngineRouteName, EngineRoute>;

/** Every code that a route can answer outside a stream. */
export function engineErrorsOf({ auth, method, requestLines, errors = [] }: EngineRoute): readonly EngineErrorCode[] {
  const takesBody = method === "POST" || method === "PUT";
  const codes: readonly EngineErrorCode[] = [
    "INVALID_REQUEST",
    ...(auth === "engine" ? (["INVALID_ENGINE_KEY"] as const) : []),
    ...(auth === "control" ? (["NOT_FOUND"] as const) : []),
    ...(takesBody ? (["PAYLOAD_TOO_LARGE"] as const) : []),
    ...errors,
    "INTERNAL_ERROR",
    ...(takesBody && requestLines === undefined ? (["SERVICE_UNAVAILABLE"] as const) : []),
  ];
  return [...new Set(codes)];
}
