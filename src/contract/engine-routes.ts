import {
  ENGINE_BODY_BYTES,
  allowToolsRequest,
  cancelRequest,
  decideSkillRequest,
  endFactRequest,
  executeRequest,
  hitlRespondRequest,
  knowledgeSearchRequest,
} from "./engine-api.ts";
import { MAX_BUDGETS_BYTES, engineBudgets } from "./engine-budgets.ts";
import { CONTROL_PATHS, controlCatalogRequest, controlKeysRequest, controlSleepRequest } from "./engine-control.ts";
import type { EngineErrorCode } from "./engine-errors.ts";
import { TURN_WAIT_MS, startTurnRequest } from "./started-turn.ts";
import type { EngineResponseName } from "./engine-responses.ts";
import {
  type IntegerParameter,
  type Parameter,
  type RouteRow,
  events,
  json,
  lines,
  ok,
  rowsOf,
} from "./route-table.ts";

/** `control`: the daemon's own calls. For a caller without the incarnation's token these routes do not exist. */
type EngineAuthentication = "none" | "engine" | "control";
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
export const TURN_PAGE_LIMIT: IntegerParameter = MEMORY_PAGE_LIMIT;
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

const rows = (auth: EngineAuthentication) => rowsOf<EngineAuthentication, EngineResponseName, EngineErrorCode>(auth);
const [open, engine, control] = [rows("none"), rows("engine"), rows("control")];

/** Every route of the engine. Another path is 404, another method on one of these paths 405. */
export const ENGINE_ROUTES = {
  health: open("GET /health", "Liveness and load", { responses: ok("EngineHealth") }),
  execute: engine("POST /execute", "Run a turn of a task and stream its events", {
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
    errors: [
      "NOT_FOUND",
      "TASK_BUSY",
      "IDEMPOTENCY_CONFLICT",
      "BUDGET_EXCEEDED",
      "TOO_MANY_READERS",
      "ENGINE_DRAINING",
    ],
  }),
  replay: engine("GET /execute/replay", "Stored events after a cursor; a stream with `Accept: text/event-stream`", {
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
    errors: ["NOT_FOUND", "TOO_MANY_READERS"],
  }),
  cancel: engine("POST /execute/cancel", "Cancel the turn of a task", {
    request: cancelRequest,
    responses: ok("Cancelled"),
  }),
  respond: engine("POST /hitl/respond", "Answer a human-in-the-loop request", {
    request: hitlRespondRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.respond,
    responses: ok("Resolved"),
    errors: ["HITL_NOT_FOUND", "HITL_ALREADY_ANSWERED"],
  }),
  pending: engine("GET /hitl/pending", "Open human-in-the-loop requests", { responses: ok("PendingRequests") }),
  listTurns: engine("GET /turns", "Turns, the newest first", {
    query: {
      task_id: { kind: "text", summary: "Only of this task" },
      limit: TURN_PAGE_LIMIT,
      cursor: { kind: "text", summary: "`next_cursor` of the previous page" },
    },
    responses: ok("TurnPage"),
  }),
  showTurn: engine("GET /turns/{turn_id}", "A turn", { responses: ok("Turn"), errors: ["NOT_FOUND"] }),
  listRequests: engine("GET /turns/{turn_id}/requests", "Model calls of a turn and what their requests consist of", {
    responses: ok("ModelRequests"),
    errors: ["NOT_FOUND"],
  }),
  showRequest: engine("GET /turns/{turn_id}/requests/{number}", "A request to a model as it was sent", {
    responses: ok("ModelRequest"),
    errors: ["NOT_FOUND"],
  }),
  searchMemory: engine("POST /memory/knowledge/search", "Search episodes, facts and notes", {
    request: knowledgeSearchRequest,
    responses: ok("KnowledgeHits"),
  }),
  listServers: engine("GET /assets/servers", "MCP servers and their tools", { responses: ok("Servers") }),
  showCatalog: engine("GET /assets/catalog", "The catalog in use, and problems of its files", {
    responses: ok("CatalogShown"),
  }),
  allowTools: engine("POST /assets/servers/allow", "Allow changed tools of an MCP server", {
    request: allowToolsRequest,
    responses: ok("ToolsAllowed"),
    errors: ["NOT_FOUND"],
  }),
  listEpisodes: engine("GET /memory/episodes", "Episodes: rounds of one question and its answer", {
    query: PAGE,
    responses: ok("EpisodePage"),
  }),
  listKnowledge: engine("GET /memory/knowledge", "Facts", { query: PAGE, responses: ok("KnowledgePage") }),
  endFact: engine("POST /memory/knowledge/end", "End a fact that is true no longer", {
    request: endFactRequest,
    responses: ok("FactEnded"),
    errors: ["NOT_FOUND"],
  }),
  listSocial: engine("GET /memory/social", "People and things, with their relations", {
    query: PAGE,
    responses: ok("SocialPage"),
  }),
  listWorking: engine("GET /memory/working", "The working memory log", {
    query: PAGE,
    responses: ok("WorkingMemoryPage"),
  }),
  listTrajectories: engine("GET /memory/trajectories", "Trajectories, one for each turn", {
    query: PAGE,
    responses: ok("TrajectoryPage"),
  }),
  exportMemory: engine("GET /memory/export", "Export the whole memory as JSON lines", {
    responses: { 200: [lines("MemoryFileLine")] },
    errors: ["MEMORY_BUSY"],
  }),
  importMemory: engine("POST /memory/import", "Import an exported memory", {
    requestLines: "MemoryFileLine",
    maxBodyBytes: MAX_MEMORY_FILE_BYTES,
    responses: ok("MemoryImported"),
    errors: ["MEMORY_BUSY"],
  }),
  eraseMemory: engine("DELETE /memory", "Erase the whole memory", {
    responses: ok("MemoryErased"),
    errors: ["TASK_BUSY", "LC_RUNNING", "MEMORY_BUSY"],
  }),
  listSkills: engine("GET /memory/skills", "Skills that learning has drafted", { responses: ok("SkillDrafts") }),
  decideSkill: engine("POST /memory/skills/decide", "Allow or refuse a drafted skill", {
    request: decideSkillRequest,
    responses: ok("SkillDecided"),
    errors: ["NOT_FOUND", "SKILL_ALREADY_DECIDED", "CATALOG_INVALID"],
  }),
  triggerLearning: engine("POST /admin/lc/trigger", "Run a learning batch", {
    responses: ok("LearningBatch"),
    errors: ["LC_RUNNING", "BUDGET_EXCEEDED", "LLM_RATE_LIMITED", "LLM_PROVIDER_ERROR", "ENGINE_DRAINING"],
  }),
  reloadCatalog: engine("POST /admin/reload-catalog", "Reload the catalog", {
    responses: ok("CatalogReloaded"),
    errors: ["CATALOG_INVALID"],
  }),
  reloadCoreSoul: engine("POST /admin/reload-core-soul", "Reload the core soul", {
    responses: ok("CoreSoulReloaded"),
    errors: ["CORE_SOUL_INVALID"],
  }),
  openapi: open("GET /openapi.json", "This interface as an OpenAPI 3.1 document", { responses: ok("OpenApiDocument") }),
  docs: open("GET /docs", "This interface as a page", { responses: { 200: [{ kind: "html" }] } }),
  setKeys: control(`POST ${CONTROL_PATHS.keys}`, "Replace the accepted engine keys", {
    request: controlKeysRequest,
    responses: ok("KeysAccepted"),
  }),
  setBudgets: control(`POST ${CONTROL_PATHS.budgets}`, "Replace the budgets", {
    request: engineBudgets,
    maxBodyBytes: MAX_BUDGETS_BYTES,
    responses: ok("EngineStatus"),
  }),
  setCatalog: control(`POST ${CONTROL_PATHS.catalog}`, "Use a version of the product's catalog", {
    request: controlCatalogRequest,
    responses: ok("CatalogVersionUsed"),
    errors: ["CATALOG_INVALID"],
  }),
  drain: control(`POST ${CONTROL_PATHS.drain}`, "Take no new turns", { responses: ok("EngineStatus") }),
  sleep: control(`POST ${CONTROL_PATHS.sleep}`, "Exit until the next call, unless there is work", {
    request: controlSleepRequest,
    responses: ok("EngineStatus"),
    errors: ["ENGINE_BUSY"],
  }),
  status: control(`GET ${CONTROL_PATHS.status}`, "Turns, requests, streams and what keeps it awake", {
    query: {
      metrics: {
        kind: "text",
        summary: "Adds the metrics, unless this is their revision. Empty for the first read",
      },
      usage: {
        kind: "text",
        summary: "Adds the usage after this `ledger:revision`, if there is any. Empty for the first read",
      },
    },
    responses: ok("EngineStatus"),
  }),
  startTurn: control(`POST ${CONTROL_PATHS.turns}`, "Start a turn once for each key, without a reader", {
    request: startTurnRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.execute,
    responses: ok("StartedTurn"),
    errors: ["NOT_FOUND", "TASK_BUSY", "IDEMPOTENCY_CONFLICT", "ENGINE_DRAINING"],
  }),
  findTurn: control(`GET ${CONTROL_PATHS.turns}`, "A turn that the daemon started, or null", {
    query: {
      key: { kind: "text", summary: "The key that started it" },
      turn_id: { kind: "text", summary: "Its id" },
      wait_ms: TURN_WAIT_MS,
    },
    responses: ok("FoundTurn"),
  }),
} satisfies Record<string, EngineRoute>;
export type EngineRouteName = keyof typeof ENGINE_ROUTES;

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
    // SLEEPING_BUSY is the daemon's response for an engine that it cannot wake, and never for its own calls.
    ...(auth === "control" ? [] : (["SLEEPING_BUSY", "ENGINE_NOT_RUNNING"] as const)),
    ...(takesBody && requestLines === undefined ? (["SERVICE_UNAVAILABLE"] as const) : []),
  ];
  return [...new Set(codes)];
}
