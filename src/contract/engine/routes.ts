import {
  ENGINE_BODY_BYTES,
  allowToolsRequest,
  cancelRequest,
  editMessageRequest,
  executeRequest,
  hitlRespondRequest,
} from "./requests.ts";
import { toolRespondRequest } from "./client-tool.ts";
import { forkRequest, rewindRequest } from "./branch.ts";
import type { EngineErrorCode } from "./errors.ts";
import { EVENT_GROUPS } from "./event-groups.ts";
import { EVENTS_HEADER } from "./headers.ts";
import { ENGINE_CONTROL_ROUTES } from "./control-routes.ts";
import { ENGINE_FILE_ROUTES } from "./file-routes.ts";
import { ENGINE_MEMORY_ROUTES } from "./memory-routes.ts";
import { ENGINE_TASK_ROUTES } from "./task-routes.ts";
import { type EngineRoute, engine, unauthenticated } from "./route-row.ts";
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
const EVENT_GROUPS_SUMMARY = `[Events on request](conversations.md#events-on-request), separated by commas: \`${Object.keys(EVENT_GROUPS).join("`, `")}\``;
const WANTED = { events: { kind: "text", summary: EVENT_GROUPS_SUMMARY } } as const satisfies Record<string, Parameter>;
const WANTED_HEADER = {
  [EVENTS_HEADER]: { kind: "text", summary: "The same as `events`, for clients that cannot change the address" },
} as const satisfies Record<string, Parameter>;
const LAST_EVENT = {
  "Last-Event-ID": { kind: "text", summary: "The last `seq` or `ts` received; adds an `id:` line to each frame" },
} as const satisfies Record<string, Parameter>;

/** Every route of the engine. Another path is 404, another method on one of these paths 405. */
export const ENGINE_ROUTES = {
  health: unauthenticated("GET /health", "Health, identity and the state of the model", {
    responses: ok("EngineHealth"),
  }),
  execute: engine("POST /execute", "[Run a turn](engine-api.md#run-a-turn) and stream its events", {
    role: "operator",
    scope: "turns",
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
    role: "operator",
    scope: "turns",
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
    role: "operator",
    scope: "turns",
    request: cancelRequest,
    responses: ok("Cancelled"),
  }),
  listInbox: engine("GET /tasks/{task_id}/inbox", "List the messages that [wait](conversations.md#queue-and-steer)", {
    role: "operator",
    scope: "turns",
    responses: ok("InboxList"),
  }),
  editMessage: engine("PATCH /tasks/{task_id}/inbox/{message_id}", "Change a message that waits", {
    role: "operator",
    scope: "turns",
    request: editMessageRequest,
    maxBodyBytes: ENGINE_BODY_BYTES.execute,
    responses: ok("WaitingMessage"),
    errors: ["NOT_FOUND", "MESSAGE_TAKEN", "MESSAGE_REMOVED"],
  }),
  removeMessage: engine("DELETE /tasks/{task_id}/inbox/{message_id}", "Remove a message that waits", {
    role: "operator",
    scope: "turns",
    responses: ok("RemovedMessage"),
    errors: ["NOT_FOUND", "MESSAGE_TAKEN"],
  }),
  respond: engine(
    "POST /hitl/respond",
    "Answer a [question or permission prompt](engine-api.md#questions-and-permission-prompts)",
    {
      role: "operator",
      scope: "answers",
      request: hitlRespondRequest,
      maxBodyBytes: ENGINE_BODY_BYTES.respond,
      responses: ok("Resolved"),
      errors: ["POLICY_DENIED", "HITL_NOT_FOUND", "HITL_ALREADY_ANSWERED"],
    },
  ),
  pending: engine("GET /hitl/pending", "List the open questions and permission prompts", {
    role: "operator",
    scope: "answers",
    responses: ok("PendingRequests"),
  }),
  respondTool: engine(
    "POST /tools/respond",
    "Answer a call of a [tool that the client runs](conversations.md#tools-that-the-client-runs)",
    {
      role: "operator",
      scope: "answers",
      request: toolRespondRequest,
      maxBodyBytes: ENGINE_BODY_BYTES.respond,
      responses: ok("ToolAnswered"),
      errors: ["POLICY_DENIED", "NOT_FOUND", "TOOL_ALREADY_ANSWERED"],
    },
  ),
  pendingTools: engine("GET /tools/pending", "List the calls that wait for the client's answer", {
    role: "operator",
    scope: "answers",
    responses: ok("PendingToolCalls"),
  }),
  listTurns: engine("GET /turns", "List turns, newest first", {
    role: "operator",
    scope: "turns",
    query: {
      task_id: { kind: "text", summary: "Only of this task" },
      limit: PAGE.limit,
      cursor: { kind: "text", summary: "`next_cursor` of the previous page" },
    },
    responses: ok("TurnPage"),
  }),
  showTurn: engine("GET /turns/{turn_id}", "Get a turn", {
    role: "operator",
    scope: "turns",
    responses: ok("Turn"),
    errors: ["NOT_FOUND"],
  }),
  listRequests: engine(
    "GET /turns/{turn_id}/requests",
    "List the [model calls](engine-api.md#requests-to-the-model) of a turn with their tokens by part of the context",
    { scope: null, role: "operator", responses: ok("ModelRequests"), errors: ["NOT_FOUND"] },
  ),
  showRequest: engine("GET /turns/{turn_id}/requests/{number}", "Get a request to the model as it was sent", {
    role: "operator",
    scope: null,
    responses: ok("ModelRequest"),
    errors: ["NOT_FOUND"],
  }),
  ...ENGINE_TASK_ROUTES,
  forkTask: engine("POST /tasks/{task_id}/fork", "Begin a task with [messages of another one](conversations.md#fork)", {
    role: "operator",
    scope: "tasks:write",
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
      role: "operator",
      scope: "tasks:write",
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
    { scope: null, role: "viewer", responses: ok("Servers") },
  ),
  showCatalog: engine(
    "GET /assets/catalog",
    "Get the [catalog](catalog.md) in use, with the errors and warnings that a reload would find",
    { scope: null, role: "viewer", responses: ok("CatalogShown") },
  ),
  allowTools: engine(
    "POST /assets/servers/allow",
    "Accept [changed tools](catalog.md#changed-tools) of a tool server",
    { scope: null, role: "operator", request: allowToolsRequest, responses: ok("ToolsAllowed"), errors: ["NOT_FOUND"] },
  ),
  reloadCatalog: engine("POST /admin/reload-catalog", "Reload the [catalog](catalog.md), all of it or nothing", {
    role: "operator",
    scope: null,
    responses: ok("CatalogReloaded"),
    errors: ["CATALOG_INVALID"],
  }),
  reloadCoreSoul: engine("POST /admin/reload-core-soul", "Reload the [core soul](catalog.md#core-soul)", {
    role: "operator",
    scope: null,
    responses: ok("CoreSoulReloaded"),
    errors: ["CORE_SOUL_INVALID"],
  }),
  openapi: unauthenticated("GET /openapi.json", "This interface as an OpenAPI 3.1 document", {
    responses: ok("OpenApiDocument"),
  }),
  docs: unauthenticated("GET /docs", "This interface as a page", { responses: { 200: [{ kind: "html" }] } }),
  ...ENGINE_CONTROL_ROUTES,
} satisfies Record<string, EngineRoute>;
export type EngineRouteName = keyof typeof ENGINE_ROUTES;

/** Every code that a route can answer outside a stream. */
export function engineErrorsOf(route: EngineRoute): readonly EngineErrorCode[] {
  const { auth, method, requestLines, requestBytes, errors = [] } = route;
  const takesBody = method === "POST" || method === "PUT" || method === "PATCH";
  const codes: readonly EngineErrorCode[] = [
    "INVALID_REQUEST",
    ...(auth === "engine" ? (["INVALID_ENGINE_KEY"] as const) : []),
    ...(auth === "control" ? (["NOT_FOUND"] as const) : []),
    ...(takesBody ? (["PAYLOAD_TOO_LARGE"] as const) : []),
    ...errors,
    "INTERNAL_ERROR",
    // The daemon's responses for an engine that it cannot or must not wake, and never for its own calls.
    ...(auth === "control" ? [] : (["POLICY_DENIED", "SLEEPING_BUSY", "ENGINE_NOT_RUNNING"] as const)),
    ...(takesBody && requestLines === undefined && requestBytes === undefined
      ? (["SERVICE_UNAVAILABLE"] as const)
      : []),
  ];
  return [...new Set(codes)];
}
