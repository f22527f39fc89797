import {
  ENGINE_BODY_BYTES,
  allowToolsRequest,
  cancelRequest,
  editMessageRequest,
  executeRequest,
  hitlRespondRequest,
} from "./requests.ts";
import { toolRespondRequest } from "./client-tool.ts";
import { MAX_BUDGETS_BYTES, engineBudgets } from "./budgets.ts";
import {
  CONTROL_PATHS,
  controlCatalogRequest,
  controlKeysRequest,
  controlModelsRequest,
  controlSleepRequest,
  controlSuspensionRequest,
} from "./control.ts";
import { forkRequest, rewindRequest } from "./branch.ts";
import { MAX_MODELS_BYTES } from "./models.ts";
import { EVENT_GROUPS } from "./events.ts";
import { EVENTS_HEADER } from "./headers.ts";
import { ENGINE_FILE_ROUTES } from "./file-routes.ts";
import { ENGINE_MEMORY_ROUTES } from "./memory-routes.ts";
import { ENGINE_TASK_ROUTES } from "./task-routes.ts";
import { type EngineRoute, control, engine, unauthenticated } from "./route-row.ts";
import { TURN_WAIT_MS, startTurnRequest } from "./started-turn.ts";
import { type IntegerParameter, PAGE, type Parameter, events, json, ok } from "../route-table.ts";

export type { EngineRoute } from "./route-row.ts";

export const engineBodyBytes = (route: EngineRoute): number => route.maxBodyBytes ?? ENGINE_BODY_BYTES.other;

export const REPLAY_LIMIT: IntegerParameter = {
  kind: "integer",
  min: 1,
  max: 10_000,
  fallback: 1000,
  summary: "Largest number of events. A stream without it has no limit",
};
const IDS = { ids: { kind: "text", summary: "`1` adds an `id:` line to each frame" } } as const satisfies Record<
  string,
  Parameter
>;
const EVENT_GROUPS_SUMMARY = `[Events on request](conversations.md#events-on-request), separated by commas: \`${EVENT_GROUPS.join("`, `")}\``;
const WANTED = { events: { kind: "text", summary: EVENT_GROUPS_SUMMARY } } as const satisfies Record<string, Parameter>;
const WANTED_HEADER = {
  [EVENTS_HEADER]: { kind: "text", summary: "The same as `events`, for clients that cannot change the address" },
} as const satisfies Record<string, Parameter>;
const LAST_EVENT = {
  "Last-Event-ID": { kind: "text", summary: "The last `seq` or `ts` received; adds an `id:` line to each frame" },
} as const satisfies Record<string, Parameter>;

const TURN_KEY = {
  key: { kind: "text", summary: "The key that started it" },
  task_id: { kind: "text", summary: "With `key`: its task. Without, only a turn that has started is found" },
} as const satisfies Record<string, Parameter>;

/** Every route of the engine. Another path is 404, another method on one of these paths 405. */
export const ENGINE_ROUTES = {
  health: unauthenticated("GET /health", "Health, identity and the state of the model", {
    responses: ok("EngineHealth"),
  }),
  execute: engine("POST /execute", "[Run a turn](engine-api.md#run-a-turn) and stream its events", {
    query: { ...IDS, ...WANTED },
    headers: {
      "Idempotency-Key": {
        kind: "text",
        maxLength: 255,
        summary:
          "The same key and body within 24 h attaches to the turn of the first call. The `message_id` of a message that may wait, unless the body has one",
      },
      ...LAST_EVENT,
      ...WANTED_HEADER,
    },
    request: executeRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.execute,
    responses: { 200: [events("EngineEvent")], 202: [json("SentMessage")] },
    errors: [
      "POLICY_DENIED",
      "NOT_FOUND",
      "TASK_BUSY",
      "MESSAGE_REMOVED",
      "IDEMPOTENCY_CONFLICT",
      "BUDGET_EXCEEDED",
      "INBOX_FULL",
      "TOO_MANY_READERS",
      "ENGINE_DRAINING",
    ],
  }),
  replay: engine("GET /execute/replay", "[Read or follow](engine-api.md#replay-and-reconnect) stored events", {
    query: {
      after: { kind: "text", summary: "ISO 8601 timestamp or `seq`, exclusive" },
      task_id: { kind: "text", summary: "Only of this task" },
      turn_id: { kind: "text", summary: "Only of this turn" },
      limit: REPLAY_LIMIT,
      follow: { kind: "flag", summary: "With `Accept: text/event-stream`: continue with live events" },
      ...IDS,
      ...WANTED,
    },
    headers: { ...LAST_EVENT, ...WANTED_HEADER },
    responses: { 200: [json("ReplayPage"), events("EngineEvent")] },
    errors: ["NOT_FOUND", "TOO_MANY_READERS"],
  }),
  cancel: engine("POST /execute/cancel", "End the running turn of a task. `cancelled` is false when it has none", {
    request: cancelRequest,
    responses: ok("Cancelled"),
  }),
  listInbox: engine("GET /tasks/{task_id}/inbox", "List the messages that [wait](conversations.md#queue-and-steer)", {
    responses: ok("InboxList"),
  }),
  editMessage: engine("PATCH /tasks/{task_id}/inbox/{message_id}", "Change a message that waits", {
    request: editMessageRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.execute,
    responses: ok("WaitingMessage"),
    errors: ["NOT_FOUND", "MESSAGE_TAKEN", "MESSAGE_REMOVED"],
  }),
  removeMessage: engine("DELETE /tasks/{task_id}/inbox/{message_id}", "Remove a message that waits", {
    responses: ok("RemovedMessage"),
    errors: ["NOT_FOUND", "MESSAGE_TAKEN"],
  }),
  respond: engine(
    "POST /hitl/respond",
    "Answer a [question or permission prompt](engine-api.md#questions-and-permission-prompts)",
    {
      request: hitlRespondRequest,
      maxBodyBytes: ENGINE_BODY_BYTES.respond,
      responses: ok("Resolved"),
      errors: ["POLICY_DENIED", "HITL_NOT_FOUND", "HITL_ALREADY_ANSWERED"],
    },
  ),
  pending: engine("GET /hitl/pending", "List the open questions and permission prompts", {
    responses: ok("PendingRequests"),
  }),
  respondTool: engine(
    "POST /tools/respond",
    "Answer a call of a [tool that the client runs](conversations.md#tools-that-the-client-runs)",
    {
      request: toolRespondRequest,
      maxBodyBytes: ENGINE_BODY_BYTES.respond,
      responses: ok("ToolAnswered"),
      errors: ["POLICY_DENIED", "NOT_FOUND", "TOOL_ALREADY_ANSWERED"],
    },
  ),
  pendingTools: engine("GET /tools/pending", "List the calls that wait for the client's answer", {
    responses: ok("PendingToolCalls"),
  }),
  listTurns: engine("GET /turns", "List turns, newest first", {
    query: {
      task_id: { kind: "text", summary: "Only of this task" },
      limit: PAGE.limit,
      cursor: { kind: "text", summary: "`next_cursor` of the previous page" },
    },
    responses: ok("TurnPage"),
  }),
  showTurn: engine("GET /turns/{turn_id}", "Get a turn", { responses: ok("Turn"), errors: ["NOT_FOUND"] }),
  listRequests: engine(
    "GET /turns/{turn_id}/requests",
    "List the [model calls](engine-api.md#requests-to-the-model) of a turn with their tokens by part of the context",
    {
      responses: ok("ModelRequests"),
      errors: ["NOT_FOUND"],
    },
  ),
  showRequest: engine("GET /turns/{turn_id}/requests/{number}", "Get a request to the model as it was sent", {
    responses: ok("ModelRequest"),
    errors: ["NOT_FOUND"],
  }),
  ...ENGINE_TASK_ROUTES,
  forkTask: engine("POST /tasks/{task_id}/fork", "Begin a task with [messages of another one](conversations.md#fork)", {
    request: forkRequest,
    clientNames: { task_id: "new_task_id" },
    responses: ok("ForkedTask"),
    repeatable: false,
    errors: ["NOT_FOUND", "TASK_BUSY", "TASK_EXISTS"],
  }),
  rewindTask: engine(
    "POST /tasks/{task_id}/rewind",
    "Take a conversation back to a message, and [its files](conversations.md#rewind) too",
    {
      request: rewindRequest,
      timeout: "hour",
      responses: ok("Rewound"),
      errors: ["NOT_FOUND", "TASK_BUSY", "FILES_CHANGED", "ENGINE_DRAINING"],
    },
  ),
  ...ENGINE_FILE_ROUTES,
  ...ENGINE_MEMORY_ROUTES,
  listServers: engine(
    "GET /assets/servers",
    "List the [tool servers](catalog.md#tool-servers) with status, tools and errors",
    { responses: ok("Servers") },
  ),
  showCatalog: engine(
    "GET /assets/catalog",
    "Get the [catalog](catalog.md) in use, with the errors and warnings that a reload would find",
    {
      responses: ok("CatalogShown"),
    },
  ),
  allowTools: engine(
    "POST /assets/servers/allow",
    "Accept [changed tools](catalog.md#changed-tools) of a tool server",
    {
      request: allowToolsRequest,
      responses: ok("ToolsAllowed"),
      errors: ["NOT_FOUND"],
    },
  ),
  reloadCatalog: engine("POST /admin/reload-catalog", "Reload the [catalog](catalog.md), all of it or nothing", {
    responses: ok("CatalogReloaded"),
    errors: ["CATALOG_INVALID"],
  }),
  reloadCoreSoul: engine("POST /admin/reload-core-soul", "Reload the [core soul](catalog.md#core-soul)", {
    responses: ok("CoreSoulReloaded"),
    errors: ["CORE_SOUL_INVALID"],
  }),
  openapi: unauthenticated("GET /openapi.json", "This interface as an OpenAPI 3.1 document", {
    responses: ok("OpenApiDocument"),
  }),
  docs: unauthenticated("GET /docs", "This interface as a page", { responses: { 200: [{ kind: "html" }] } }),
  setKeys: control(`POST ${CONTROL_PATHS.keys}`, "Replace the accepted engine keys", {
    request: controlKeysRequest,
    responses: ok("KeysAccepted"),
  }),
  setBudgets: control(`POST ${CONTROL_PATHS.budgets}`, "Replace the budgets", {
    request: engineBudgets,
    maxBodyBytes: MAX_BUDGETS_BYTES,
    responses: ok("EngineStatus"),
  }),
  setSuspension: control(`POST ${CONTROL_PATHS.suspension}`, "Suspend the product, or end its suspension", {
    request: controlSuspensionRequest,
    responses: ok("EngineStatus"),
  }),
  setModels: control(`POST ${CONTROL_PATHS.models}`, "Say which models are allowed, fall back and cool down", {
    request: controlModelsRequest,
    maxBodyBytes: MAX_MODELS_BYTES,
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
  startTurn: control(`POST ${CONTROL_PATHS.turns}`, "Start a turn once for each key, now or when its task is idle", {
    request: startTurnRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.execute,
    responses: ok("StartedTurn"),
    errors: ["POLICY_DENIED", "NOT_FOUND", "IDEMPOTENCY_CONFLICT", "INBOX_FULL", "ENGINE_DRAINING"],
  }),
  withdrawTurn: control(`DELETE ${CONTROL_PATHS.turns}`, "Remove the message of a turn that has not started", {
    query: TURN_KEY,
    responses: ok("FoundTurn"),
  }),
  findTurn: control(`GET ${CONTROL_PATHS.turns}`, "A turn that the daemon started, or null", {
    query: {
      ...TURN_KEY,
      turn_id: { kind: "text", summary: "Its id" },
      wait_ms: TURN_WAIT_MS,
    },
    responses: ok("FoundTurn"),
  }),
} satisfies Record<string, EngineRoute>;
export type EngineRouteName = keyof typeof ENGINE_ROUTES;
