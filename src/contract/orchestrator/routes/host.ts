import { drainRequest, restartRequest } from "../requests.ts";
import { type IntegerParameter, PAGE, json, ok } from "../../route-table.ts";
import { HISTORY, IDEMPOTENCY, LAST_EVENT, type Route, STATE, admin, local, open } from "./route-row.ts";

/** A sequence number, as text of at most 10 digits. */
export const AUDIT_AFTER: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 9_999_999_999,
  fallback: 0,
  summary: "Lines after this `seq`",
};

/** Routes for monitoring, without a key. */
export const PROBE_ROUTES = {
  health: open("GET /health", "Liveness, and the `host_id`. It runs no query", { responses: ok("DaemonHealth") }),
  ready: open("GET /ready", "Readiness: 200, or 503 with the reason", {
    responses: ok("DaemonReady"),
    errors: ["SERVICE_UNAVAILABLE"],
  }),
} satisfies Record<string, Route>;

/** The host and engines of every product, for operators. */
export const HOST_ROUTES = {
  adminEngines: admin("GET /admin/engines", "List the engines of every product", {
    role: "viewer",
    clientMethod: "listEngines",
    query: { ...PAGE, state: STATE },
    responses: ok("EnginePage"),
  }),
  restartEngine: admin(
    "POST /admin/engines/{engine_id}/restart",
    "Restart a running engine after its running turns, with the daemon's version",
    {
      role: "operator",
      clientMethod: "restartEngine",
      request: restartRequest,
      repeatable: false,
      timeout: "boot",
      responses: ok("EngineRecord"),
      errors: ["ENGINE_NOT_FOUND", "ENGINE_NOT_RUNNING", "OPERATION_IN_PROGRESS", "BACKEND_ERROR", "BOOT_TIMEOUT"],
    },
  ),
  adminEvents: admin("GET /admin/events", "List or follow the events of every product and of the host", {
    role: "viewer",
    query: { ...PAGE, product_id: { kind: "text", summary: "Only events of this product, by id or slug" } },
    headers: LAST_EVENT,
    responses: { 200: HISTORY },
    errors: ["PRODUCT_NOT_FOUND", "CAPACITY_EXHAUSTED"],
  }),
  adminStatus: admin(
    "GET /admin/status",
    "Get the host: ports, engines by state, load, [isolation](operating.md#isolation), warnings",
    { role: "viewer", clientMethod: "status", responses: ok("HostStatus") },
  ),
  hostSamples: admin("GET /admin/samples", "Get what the engines of the host used in the last hour, together", {
    role: "viewer",
    clientMethod: "samples",
    responses: ok("HostSamples"),
  }),
  engineSamples: admin("GET /admin/engines/{engine_id}/samples", "Get what an engine used in the last hour", {
    role: "viewer",
    clientMethod: "engineSamples",
    responses: ok("UsageSamples"),
    errors: ["ENGINE_NOT_FOUND"],
  }),
  checkHost: admin("GET /admin/doctor", "Check the daemon and its host: what is wrong, and what helps", {
    role: "viewer",
    clientMethod: "doctor",
    responses: ok("HostReport"),
  }),
  adminAudit: admin("GET /admin/audit", "List the audit log, a hash chain", {
    role: "viewer",
    query: { ...PAGE, after: AUDIT_AFTER },
    responses: ok("AuditPage"),
  }),
  listBackups: admin(
    "GET /admin/backups",
    "List the [backups](operating.md#backup-and-restore) of the host, and the one that runs",
    { role: "viewer", clientMethod: "listBackups", responses: ok("BackupList") },
  ),
  createBackup: admin(
    "POST /admin/backups",
    "Start a backup. 202 with its name; `GET /admin/backups` shows its progress",
    {
      role: "admin",
      clientMethod: "createBackup",
      request: drainRequest,
      repeatable: false,
      responses: { 202: [json("BackupRun")] },
      errors: ["OPERATION_IN_PROGRESS"],
    },
  ),
  drainHost: admin("POST /admin/drain", "Accept no new engines", {
    role: "admin",
    clientMethod: "drain",
    headers: IDEMPOTENCY,
    request: drainRequest,
    responses: ok("HostStatus"),
  }),
  resumeHost: admin("POST /admin/resume", "Accept new engines again", {
    role: "admin",
    clientMethod: "resume",
    headers: IDEMPOTENCY,
    request: drainRequest,
    responses: ok("HostStatus"),
  }),
  resumeSchedules: admin(
    "POST /admin/schedules/resume",
    "Run the schedules that a [restore](operating.md#restore) left paused",
    {
      role: "admin",
      clientMethod: "resumeSchedules",
      headers: IDEMPOTENCY,
      request: drainRequest,
      responses: ok("HostStatus"),
    },
  ),
} satisfies Record<string, Route>;

export const DOCUMENT_ROUTES = {
  metrics: local("GET /metrics", "Metrics in the Prometheus text format", {
    role: "viewer",
    responses: { 200: [{ kind: "text" }] },
  }),
  openapi: open("GET /openapi.json", "This interface as an OpenAPI 3.1 document", { responses: ok("OpenApiDocument") }),
  docs: open("GET /docs", "This interface as a page", { responses: { 200: [{ kind: "html" }] } }),
} satisfies Record<string, Route>;
