import type { EngineErrorCode } from "../errors.ts";
import { type Protocol, route } from "./protocol-row.ts";

export const MANAGED_AGENTS = {
  title: "Claude Managed Agents",
  version: "2026-04-01",
  errorBody: ({ code, message, status, details }) => ({
    type: "error",
    error: { type: managedErrorType(code, status), message, ...(details && { details }) },
    request_id: `req_${crypto.randomUUID().replaceAll("-", "")}`,
  }),
  routes: {
    managedListAgents: route("GET /v1/agents", "List the agents of the catalog", "tasks:read"),
    managedCreateAgent: route("POST /v1/agents", "Not supported", "tasks:write"),
    managedShowAgent: route("GET /v1/agents/{agent_id}", "Get an agent of the catalog", "tasks:read"),
    managedUpdateAgent: route("POST /v1/agents/{agent_id}", "Not supported", "tasks:write"),
    managedArchiveAgent: route("POST /v1/agents/{agent_id}/archive", "Not supported", "tasks:write"),
    managedListAgentVersions: route(
      "GET /v1/agents/{agent_id}/versions",
      "List the one version of an agent",
      "tasks:read",
    ),
    managedListEnvironments: route("GET /v1/environments", "List the engine's one environment", "tasks:read"),
    managedCreateEnvironment: route("POST /v1/environments", "Not supported", "tasks:write"),
    managedShowEnvironment: route(
      "GET /v1/environments/{environment_id}",
      "Get the engine's environment",
      "tasks:read",
    ),
    managedUpdateEnvironment: route("POST /v1/environments/{environment_id}", "Not supported", "tasks:write"),
    managedDeleteEnvironment: route("DELETE /v1/environments/{environment_id}", "Not supported", "tasks:write"),
    managedArchiveEnvironment: route("POST /v1/environments/{environment_id}/archive", "Not supported", "tasks:write"),
    managedListSessions: route("GET /v1/sessions", "List sessions, which are tasks", "tasks:read"),
    managedCreateSession: route("POST /v1/sessions", "Create a session", "tasks:write"),
    managedShowSession: route("GET /v1/sessions/{session_id}", "Get a session", "tasks:read"),
    managedUpdateSession: route(
      "POST /v1/sessions/{session_id}",
      "Change title, metadata or tools of a session",
      "tasks:write",
    ),
    managedDeleteSession: route("DELETE /v1/sessions/{session_id}", "Delete a session", "tasks:write"),
    managedArchiveSession: route("POST /v1/sessions/{session_id}/archive", "Archive a session", "tasks:write"),
    managedListEvents: route("GET /v1/sessions/{session_id}/events", "List the events of a session", "turns"),
    managedSendEvents: route("POST /v1/sessions/{session_id}/events", "Send messages, interrupts and answers", "turns"),
    managedStreamEvents: route(
      "GET /v1/sessions/{session_id}/events/stream",
      "Stream the events of a session from now on",
      "turns",
    ),
    managedListResources: route(
      "GET /v1/sessions/{session_id}/resources",
      "List the resources of a session: none",
      "tasks:read",
    ),
    managedListThreads: route("GET /v1/sessions/{session_id}/threads", "Not supported", "tasks:read"),
    managedListFiles: route(
      "GET /v1/files",
      "List the files of the workspace, or those that a session has published",
      "files:read",
    ),
    managedUploadFile: route("POST /v1/files", "Upload a file into the workspace", "files:write", { takesBytes: true }),
    managedShowFile: route("GET /v1/files/{file_id}", "Get name, type and size of a file", "files:read"),
    managedReadFile: route("GET /v1/files/{file_id}/content", "Download a file", "files:read"),
    managedDeleteFile: route("DELETE /v1/files/{file_id}", "Delete a file", "files:write"),
    managedListVaults: route("GET /v1/vaults", "Not supported", "tasks:read"),
    managedCreateVault: route("POST /v1/vaults", "Not supported", "tasks:write"),
    managedListMemoryStores: route("GET /v1/memory_stores", "Not supported", "tasks:read"),
    managedCreateMemoryStore: route("POST /v1/memory_stores", "Not supported", "tasks:write"),
    managedListDeployments: route("GET /v1/deployments", "Not supported", "tasks:read"),
    managedCreateDeployment: route("POST /v1/deployments", "Not supported", "tasks:write"),
  },
} as const satisfies Protocol;

function managedErrorType(code: EngineErrorCode, status: number): string {
  if (code === "SLEEPING_BUSY" || code === "SERVICE_UNAVAILABLE" || code === "ENGINE_DRAINING")
    return "overloaded_error";
  if (code === "BUDGET_EXCEEDED") return "billing_error";
  return MANAGED_ERROR_TYPES.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error");
}
const MANAGED_ERROR_TYPES: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
]);
