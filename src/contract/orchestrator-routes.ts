import type { OrchestratorErrorCode } from "./orchestrator-errors.ts";
import {
  drainRequest,
  platformKeyHashRequest,
  policyPatch,
  provisionRequest,
  registerRequest,
  rotateKeyRequest,
  startRequest,
  stopRequest,
} from "./orchestrator-api.ts";
import { ENGINE_STATES } from "./orchestrator-records.ts";
import type { OrchestratorResponseName } from "./orchestrator-responses.ts";
import { type IntegerParameter, type Parameter, type RouteRow, events, json } from "./route-table.ts";

/** `local`: callers on the daemon's own host need no key, others the admin key. */
export type Authentication = "none" | "platform" | "admin" | "local";
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

/** Every route of the orchestrator. Another path is 404, another method on one of these paths 405. */
export const ORCHESTRATOR_ROUTES = {
  health: {
    method: "GET",
    path: "/health",
    auth: "none",
    summary: "Liveness, without a query",
    responses: { 200: [json("DaemonHealth")] },
  },
  ready: {
    method: "GET",
    path: "/ready",
    auth: "none",
    summary: "Readiness, or the reason why calls are refused",
    responses: { 200: [json("DaemonReady")] },
    errors: ["SERVICE_UNAVAILABLE"],
  },
  registerProduct: {
    method: "POST",
    path: "/products/register",
    auth: "admin",
    summary: "Register a product",
    headers: IDEMPOTENCY,
    request: registerRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 201: [json("ProductWithKey")] },
    errors: ["PRODUCT_ALREADY_EXISTS"],
  },
  listProducts: {
    method: "GET",
    path: "/products",
    auth: "admin",
    summary: "List products",
    query: PAGE,
    responses: { 200: [json("ProductPage")] },
  },
  showProduct: {
    method: "GET",
    path: "/products/{product_id}",
    auth: "admin",
    summary: "One product, by id or slug",
    responses: { 200: [json("ProductRecord")] },
    errors: ["PRODUCT_NOT_FOUND"],
  },
  deleteProduct: {
    method: "DELETE",
    path: "/products/{product_id}",
    auth: "admin",
    summary: "Delete a product",
    query: { force: { kind: "flag", summary: "Destroy its engines first" } },
    responses: { 200: [json("ProductDeleted")] },
    errors: ["PRODUCT_NOT_FOUND", "PRODUCT_ALREADY_EXISTS", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  },
  setPolicy: {
    method: "PUT",
    path: "/products/{product_id}/policy",
    auth: "admin",
    summary: "Change a policy",
    request: policyPatch,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 200: [json("ProductRecord")] },
    errors: ["PRODUCT_NOT_FOUND"],
  },
  setPlatformKeyHash: {
    method: "PUT",
    path: "/products/{product_id}/platform-key-hash",
    auth: "admin",
    summary: "Replace a platform key by its hash",
    request: platformKeyHashRequest,
    responses: { 200: [json("ProductRecord")] },
    errors: ["PRODUCT_NOT_FOUND"],
  },
  provisionEngine: {
    method: "POST",
    path: "/engines/provision",
    auth: "platform",
    summary: "Create an engine",
    headers: IDEMPOTENCY,
    request: provisionRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 201: [json("EngineWithKey")] },
    errors: [...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "ENGINE_ALREADY_EXISTS", "QUOTA_EXCEEDED"],
  },
  admitEngine: {
    method: "POST",
    path: "/engines/admit",
    auth: "platform",
    summary: "Create or return an engine",
    headers: IDEMPOTENCY,
    request: provisionRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: { 200: [json("EngineWithKey")], 201: [json("EngineWithKey")] },
    errors: [...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  },
  listEngines: {
    method: "GET",
    path: "/engines",
    auth: "platform",
    summary: "List engines",
    query: { ...PAGE, state: STATE },
    responses: { 200: [json("EnginePage")] },
  },
  showEngine: {
    method: "GET",
    path: "/engines/{user_id}",
    auth: "platform",
    summary: "One engine",
    query: { auto_provision: { kind: "flag", summary: "Create the engine when there is none (201)" } },
    responses: { 200: [json("EngineRecord")], 201: [json("EngineWithKey")] },
    errors: ["ENGINE_NOT_FOUND", ...ENGINE_STARTS, "PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  },
  destroyEngine: {
    method: "DELETE",
    path: "/engines/{user_id}",
    auth: "platform",
    summary: "Destroy an engine",
    query: { keep_data: { kind: "flag", summary: "Keep the engine's folder" } },
    responses: { 200: [json("EngineDestroyed")] },
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  },
  startEngine: {
    method: "POST",
    path: "/engines/{user_id}/start",
    auth: "platform",
    summary: "Start an engine",
    headers: IDEMPOTENCY,
    request: startRequest,
    responses: { 200: [json("EngineRecord")] },
    errors: ["ENGINE_NOT_FOUND", "ENGINE_ALREADY_RUNNING", ...ENGINE_STARTS],
  },
  stopEngine: {
    method: "POST",
    path: "/engines/{user_id}/stop",
    auth: "platform",
    summary: "Stop an engine",
    headers: IDEMPOTENCY,
    request: stopRequest,
    responses: { 200: [json("EngineStopped")] },
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  },
  rotateEngineKey: {
    method: "POST",
    path: "/engines/{user_id}/rotate-key",
    auth: "platform",
    summary: "Replace an engine's key",
    headers: IDEMPOTENCY,
    request: rotateKeyRequest,
    responses: { 200: [json("EngineKeyRotated")] },
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR"],
  },
  waitForEngine: {
    method: "GET",
    path: "/engines/{user_id}/wait",
    auth: "platform",
    summary: "Wait until an engine reaches a state",
    query: { state: { ...STATE, fallback: "running", summary: "The state to wait for" }, timeout_s: WAIT_TIMEOUT_S },
    responses: { 200: [json("EngineRecord")] },
    errors: ["ENGINE_NOT_FOUND", "BOOT_TIMEOUT"],
  },
  engineLogs: {
    method: "GET",
    path: "/engines/{user_id}/logs",
    auth: "platform",
    summary: "An engine's log lines",
    query: { tail: LOG_TAIL, follow: { kind: "flag", summary: "Stream each new line" } },
    responses: { 200: [{ kind: "text" }] },
    errors: ["ENGINE_NOT_FOUND", "CAPACITY_EXHAUSTED"],
  },
  engineEvents: {
    method: "GET",
    path: "/engines/{user_id}/events",
    auth: "platform",
    summary: "Events of a user's engines; a live stream with `Accept: text/event-stream`",
    query: PAGE,
    headers: LAST_EVENT,
    responses: { 200: HISTORY },
    errors: ["CAPACITY_EXHAUSTED"],
  },
  events: {
    method: "GET",
    path: "/events",
    auth: "platform",
    summary: "Events of the product; a live stream with `Accept: text/event-stream`",
    query: PAGE,
    headers: LAST_EVENT,
    responses: { 200: HISTORY },
    errors: ["CAPACITY_EXHAUSTED"],
  },
  adminEngines: {
    method: "GET",
    path: "/admin/engines",
    auth: "admin",
    summary: "Engines of every product",
    query: { ...PAGE, state: STATE },
    responses: { 200: [json("EnginePage")] },
  },
  adminEvents: {
    method: "GET",
    path: "/admin/events",
    auth: "admin",
    summary: "Events of every product and the host",
    query: { ...PAGE, product_id: { kind: "text", summary: "Only events of this product, by id or slug" } },
    headers: LAST_EVENT,
    responses: { 200: HISTORY },
    errors: ["PRODUCT_NOT_FOUND", "CAPACITY_EXHAUSTED"],
  },
  adminStatus: {
    method: "GET",
    path: "/admin/status",
    auth: "admin",
    summary: "The host: ports, engines, load",
    responses: { 200: [json("HostStatus")] },
  },
  adminAudit: {
    method: "GET",
    path: "/admin/audit",
    auth: "admin",
    summary: "The audit log, a hash chain",
    query: { ...PAGE, after: AUDIT_AFTER },
    responses: { 200: [json("AuditPage")] },
  },
  drainHost: {
    method: "POST",
    path: "/admin/drain",
    auth: "admin",
    summary: "Accept no new engines",
    headers: IDEMPOTENCY,
    request: drainRequest,
    responses: { 200: [json("HostStatus")] },
  },
  resumeHost: {
    method: "POST",
    path: "/admin/resume",
    auth: "admin",
    summary: "Accept new engines again",
    headers: IDEMPOTENCY,
    request: drainRequest,
    responses: { 200: [json("HostStatus")] },
  },
  metrics: {
    method: "GET",
    path: "/metrics",
    auth: "local",
    summary: "Prometheus text; from this host, or with the admin key",
    responses: { 200: [{ kind: "text" }] },
  },
  openapi: {
    method: "GET",
    path: "/openapi.json",
    auth: "none",
    summary: "This interface as an OpenAPI 3.1 document",
    responses: { 200: [json("OpenApiDocument")] },
  },
  docs: {
    method: "GET",
    path: "/docs",
    auth: "none",
    summary: "This interface as a page",
    responses: { 200: [{ kind: "html" }] },
  },
} as const satisfies Record<string, Route>;
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
