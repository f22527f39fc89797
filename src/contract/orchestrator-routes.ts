import type { OrchestratorErrorCode } from "./orchestrator-errors.ts";
import {
  drainRequest,
  platformKeyHashRequest,
  policyPatch,
  provisionRequest,
  registerRequest,
  restartRequest,
  rotateKeyRequest,
  sleepRequest,
  startRequest,
  stopRequest,
} from "./orchestrator-api.ts";
import { ENGINE_STATES } from "./orchestrator-records.ts";
import type { OrchestratorResponseName } from "./orchestrator-responses.ts";
import { type IntegerParameter, type Parameter, type RouteRow, events, json, ok, rowsOf } from "./route-table.ts";

/** `local`: callers on the daemon's own host need no key, others the admin key. */
type Authentication = "none" | "platform" | "admin" | "local";
export type Route = RouteRow<Authentication, OrchestratorResponseName, OrchestratorErrorCode>;

/** Of calls that have a few fields or none. */
export const SMALL_BODY_BYTES = 4096;
/** 16 KiB of metadata, however its client escapes it; or a policy with its engine settings. */
const LARGE_BODY_BYTES = 64 * 1024;

export const maxBodyBytes = (route: Route): number => route.maxBodyBytes ?? SMALL_BODY_BYTES;

export const PAGE_LIMIT: IntegerParameter = { kind: "integer", min: 1, max: 200, fallback: 50, summary: "Page size" };
const CURSOR: Parameter = { kind: "text", summary: "`next_cursor` of the previous page" };
const STATE: Parameter = { kind: "choice", values: ENGINE_STATES, fallback: null, summary: "Engines in this state" };
const PAGE = { limit: PAGE_LIMIT, cursor: CURSOR } as const;
export const WAIT_TIMEOUT_S: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 600,
  fallback: 60,
  summary: "How long to wait, in seconds",
};
export const LOG_TAIL: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 10_000,
  fallback: 200,
  summary: "How many of the last lines",
};
/** A sequence number, as text of at most 10 digits. */
export const AUDIT_AFTER: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 9_999_999_999,
  fallback: 0,
  summary: "Lines after this `seq`",
};
const IDEMPOTENCY = {
  "Idempotency-Key": {
    kind: "text",
    maxLength: 255,
    summary: "The same key and body within 24 h get the first response again, without its secret",
  },
} as const satisfies Record<string, Parameter>;
const LAST_EVENT = {
  "Last-Event-ID": { kind: "text", summary: "With `Accept: text/event-stream`: the last event that was received" },
} as const satisfies Record<string, Parameter>;

const ENGINE_STARTS = [
  "POLICY_DENIED",
  "OPERATION_IN_PROGRESS",
  "BACKEND_ERROR",
  "PORT_EXHAUSTION",
  "CAPACITY_EXHAUSTED",
  "BOOT_TIMEOUT",
] as const satisfies readonly OrchestratorErrorCode[];
const HISTORY = [json("EventPage"), events("EventFrame")] as const;

const rows = (auth: Authentication) => rowsOf<Authentication, OrchestratorResponseName, OrchestratorErrorCode>(auth);
const [open, platform, admin, local] = [rows("none"), rows("platform"), rows("admin"), rows("local")];

/** Every route of the orchestrator. Another path is 404, another method on one of these paths 405. */
export const ORCHESTRATOR_ROUTES = {
  health: open("GET /health", "Liveness, without a query", { responses: ok("DaemonHealth") }),
  ready: open("GET /ready", "Readiness, or the reason why calls are refused", {
    responses: ok("DaemonReady"),
    errors: ["SERVICE_UNAVAILABLE"],
  }),
  registerProduct: admin("POST /products/register", "Register a product", {
    headers: IDEMPOTENCY,
    request: registerRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 201: [json("ProductWithKey")] },
    errors: ["PRODUCT_ALREADY_EXISTS"],
  }),
  listProducts: admin("GET /products", "List products", { query: PAGE, responses: ok("ProductPage") }),
  showProduct: admin("GET /products/{product_id}", "One product, by id or slug", {
    responses: ok("ProductRecord"),
    errors: ["PRODUCT_NOT_FOUND"],
  }),
  deleteProduct: admin("DELETE /products/{product_id}", "Delete a product", {
    query: { force: { kind: "flag", summary: "Destroy its engines first" } },
    responses: ok("ProductDeleted"),
    errors: ["PRODUCT_NOT_FOUND", "PRODUCT_ALREADY_EXISTS", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  setPolicy: admin("PUT /products/{product_id}/policy", "Change a policy", {
    request: policyPatch,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: ok("ProductRecord"),
    errors: ["PRODUCT_NOT_FOUND"],
  }),
  setPlatformKeyHash: admin("PUT /products/{product_id}/platform-key-hash", "Replace a platform key by its hash", {
    request: platformKeyHashRequest,
    responses: ok("ProductRecord"),
    errors: ["PRODUCT_NOT_FOUND"],
  }),
  provisionEngine: platform("POST /engines/provision", "Create an engine", {
    headers: IDEMPOTENCY,
    request: provisionRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 201: [json("EngineWithKey")] },
    errors: [...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "ENGINE_ALREADY_EXISTS", "QUOTA_EXCEEDED"],
  }),
  admitEngine: platform("POST /engines/admit", "Create or return an engine", {
    headers: IDEMPOTENCY,
    request: provisionRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 200: [json("EngineWithKey")], 201: [json("EngineWithKey")] },
    errors: [...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  }),
  listEngines: platform("GET /engines", "List engines", {
    query: { ...PAGE, state: STATE },
    responses: ok("EnginePage"),
  }),
  showEngine: platform("GET /engines/{user_id}", "One engine", {
    query: { auto_provision: { kind: "flag", summary: "Create the engine when there is none (201)" } },
    responses: { 200: [json("EngineRecord")], 201: [json("EngineWithKey")] },
    errors: ["ENGINE_NOT_FOUND", ...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  }),
  destroyEngine: platform("DELETE /engines/{user_id}", "Destroy an engine", {
    query: { keep_data: { kind: "flag", summary: "Keep the engine's folder" } },
    responses: ok("EngineDestroyed"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  startEngine: platform("POST /engines/{user_id}/start", "Start an engine", {
    headers: IDEMPOTENCY,
    request: startRequest,
    responses: ok("EngineRecord"),
    errors: ["ENGINE_NOT_FOUND", "ENGINE_ALREADY_RUNNING", ...ENGINE_STARTS],
  }),
  stopEngine: platform("POST /engines/{user_id}/stop", "Stop an engine", {
    headers: IDEMPOTENCY,
    request: stopRequest,
    responses: ok("EngineStopped"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  sleepEngine: platform("POST /engines/{user_id}/sleep", "Put an engine to sleep until its next call", {
    headers: IDEMPOTENCY,
    request: sleepRequest,
    responses: ok("EngineRecord"),
    errors: [
      "POLICY_DENIED",
      "ENGINE_NOT_FOUND",
      "ENGINE_NOT_RUNNING",
      "ENGINE_BUSY",
      "OPERATION_IN_PROGRESS",
      "BACKEND_ERROR",
    ],
  }),
  rotateEngineKey: platform("POST /engines/{user_id}/rotate-key", "Replace an engine's key", {
    headers: IDEMPOTENCY,
    request: rotateKeyRequest,
    responses: ok("EngineKeyRotated"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  }),
  waitForEngine: platform("GET /engines/{user_id}/wait", "Wait until an engine reaches a state", {
    query: { state: { ...STATE, fallback: "running", summary: "The state to wait for" }, timeout_s: WAIT_TIMEOUT_S },
    responses: ok("EngineRecord"),
    errors: ["ENGINE_NOT_FOUND", "BOOT_TIMEOUT"],
  }),
  engineLogs: platform("GET /engines/{user_id}/logs", "An engine's log lines", {
    query: { tail: LOG_TAIL, follow: { kind: "flag", summary: "Stream each new line" } },
    responses: { 200: [{ kind: "text" }] },
    errors: ["ENGINE_NOT_FOUND", "CAPACITY_EXHAUSTED"],
  }),
  engineEvents: platform(
    "GET /engines/{user_id}/events",
    "Events of a user's engines; a live stream with `Accept: text/event-stream`",
    { query: PAGE, headers: LAST_EVENT, responses: { 200: HISTORY }, errors: ["CAPACITY_EXHAUSTED"] },
  ),
  events: platform("GET /events", "Events of the product; a live stream with `Accept: text/event-stream`", {
    query: PAGE,
    headers: LAST_EVENT,
    responses: { 200: HISTORY },
    errors: ["CAPACITY_EXHAUSTED"],
  }),
  adminEngines: admin("GET /admin/engines", "Engines of every product", {
    query: { ...PAGE, state: STATE },
    responses: ok("EnginePage"),
  }),
  restartEngine: admin("POST /admin/engines/{engine_id}/restart", "Restart a running engine of any product", {
    request: restartRequest,
    responses: ok("EngineRecord"),
    errors: ["ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR", "BOOT_TIMEOUT"],
  }),
  adminEvents: admin("GET /admin/events", "Events of every product and the host", {
    query: { ...PAGE, product_id: { kind: "text", summary: "Only events of this product, by id or slug" } },
    headers: LAST_EVENT,
    responses: { 200: HISTORY },
    errors: ["PRODUCT_NOT_FOUND", "CAPACITY_EXHAUSTED"],
  }),
  adminStatus: admin("GET /admin/status", "The host: ports, engines, load", { responses: ok("HostStatus") }),
  checkHost: admin("GET /admin/doctor", "Checks of the daemon and its host: what is wrong and what helps", {
    responses: ok("HostReport"),
  }),
  adminAudit: admin("GET /admin/audit", "The audit log, a hash chain", {
    query: { ...PAGE, after: AUDIT_AFTER },
    responses: ok("AuditPage"),
  }),
  listBackups: admin("GET /admin/backups", "The backups of this host, and the one that runs", {
    responses: ok("BackupList"),
  }),
  createBackup: admin("POST /admin/backups", "Start a backup", {
    request: drainRequest,
    responses: { 202: [json("BackupRun")] },
    errors: ["OPERATION_IN_PROGRESS"],
  }),
  drainHost: admin("POST /admin/drain", "Accept no new engines", {
    headers: IDEMPOTENCY,
    request: drainRequest,
    responses: ok("HostStatus"),
  }),
  resumeHost: admin("POST /admin/resume", "Accept new engines again", {
    headers: IDEMPOTENCY,
    request: drainRequest,
    responses: ok("HostStatus"),
  }),
  metrics: local("GET /metrics", "Prometheus text; from this host, or with the admin key", {
    responses: { 200: [{ kind: "text" }] },
  }),
  openapi: open("GET /openapi.json", "This interface as an OpenAPI 3.1 document", { responses: ok("OpenApiDocument") }),
  docs: open("GET /docs", "This interface as a page", { responses: { 200: [{ kind: "html" }] } }),
} satisfies Record<string, Route>;
export type RouteName = keyof typeof ORCHESTRATOR_ROUTES;

/** Every code that a route can answer, in the order of the error table's use. */
export function errorsOf({ auth, method, headers = {}, errors = [] }: Route): readonly OrchestratorErrorCode[] {
  const takesBody = method === "POST" || method === "PUT";
  const codes: readonly OrchestratorErrorCode[] = [
    "INVALID_REQUEST",
    ...(auth === "platform" ? (["INVALID_PLATFORM_KEY", "RATE_LIMITED"] as const) : []),
    ...(auth === "admin" || auth === "local" ? (["INVALID_ADMIN_KEY"] as const) : []),
    ...(takesBody ? (["PAYLOAD_TOO_LARGE"] as const) : []),
    ...("Idempotency-Key" in headers ? (["IDEMPOTENCY_CONFLICT", "OPERATION_IN_PROGRESS"] as const) : []),
    ...errors,
    "INTERNAL_ERROR",
    ...(auth === "none" ? [] : (["SERVICE_UNAVAILABLE"] as const)),
  ];
  return [...new Set(codes)];
}
