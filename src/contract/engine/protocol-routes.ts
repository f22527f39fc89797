import type { SessionRole } from "../console/session-limits.ts";
import { rowsAt } from "../route-table.ts";
import type { ProtocolName } from "./protocols.ts";
import type { EngineRoute } from "./route-row.ts";
import type { Scope } from "./scopes.ts";

/** A route of a protocol that others have specified. Its bodies are the protocol's, so it is no part of the OpenAPI document. */
export interface ProtocolRoute extends Pick<EngineRoute, "method" | "path" | "auth" | "summary"> {
  readonly protocol: ProtocolName;
  readonly auth: "engine";
  readonly role: SessionRole;
  /** What each call of the route needs. An operation of the engine's interface that the call leads to needs its own scope too. */
  readonly scope: Scope;
}

type Place = `${ProtocolRoute["method"]} /${string}`;

const route = (
  protocol: ProtocolName,
  place: Place,
  summary: string,
  { role, scope }: Pick<ProtocolRoute, "role" | "scope">,
): ProtocolRoute => {
  const [method, path] = place.split(" ") as [ProtocolRoute["method"], string];
  return { protocol, method, path, auth: "engine", role, scope, summary };
};

const managed = (place: Place, summary: string, scope: Scope, role: SessionRole = "operator"): ProtocolRoute =>
  route("managed_agents", place, summary, { role, scope });

/** Every route of the protocols that an engine speaks beside its own interface. A table of its own, for protocols load at their first call. */
export const PROTOCOL_ROUTES = {
  a2aCard: route("a2a", "GET /.well-known/agent-card.json", "Get the agent card", {
    role: "operator",
    scope: "turns",
  }),
  a2aCall: route("a2a", "POST /a2a", "Call a method by JSON-RPC", { role: "operator", scope: "turns" }),
  agUiRun: route("ag_ui", "POST /ag-ui", "Run the agent, and stream its events", { role: "operator", scope: "turns" }),
  chatCompletions: route(
    "openai_chat",
    "POST /v1/chat/completions",
    "Send a conversation, and stream or get the answer",
    {
      role: "operator",
      scope: "turns",
    },
  ),
  listModels: route("openai_chat", "GET /v1/models", "List the agents of the catalog", {
    role: "operator",
    scope: "turns",
  }),
  showModel: route("openai_chat", "GET /v1/models/{model}", "Get an agent of the catalog", {
    role: "operator",
    scope: "turns",
  }),
  createResponse: route(
    "openai_responses",
    "POST /v1/responses",
    "Send a message or results of calls, and stream, get or start the answer",
    {
      role: "operator",
      scope: "turns",
    },
  ),
  showResponse: route(
    "openai_responses",
    "GET /v1/responses/{response_id}",
    "Get a response, or stream it after a `sequence_number`",
    {
      role: "operator",
      scope: "turns",
    },
  ),
  deleteResponse: route(
    "openai_responses",
    "DELETE /v1/responses/{response_id}",
    "Delete the task of its only response",
    {
      role: "operator",
      scope: "turns",
    },
  ),
  cancelResponse: route(
    "openai_responses",
    "POST /v1/responses/{response_id}/cancel",
    "Cancel the turn of a response",
    {
      role: "operator",
      scope: "turns",
    },
  ),
  listResponseInput: route(
    "openai_responses",
    "GET /v1/responses/{response_id}/input_items",
    "Get the message that a response answers",
    {
      role: "operator",
      scope: "turns",
    },
  ),
  mcpSend: route("mcp", "POST /mcp", "Send a message of JSON-RPC, such as a call of a tool", {
    role: "operator",
    scope: "turns",
  }),
  mcpContinue: route("mcp", "GET /mcp", "Continue the stream of a call that was cut: `Last-Event-ID`", {
    role: "operator",
    scope: "turns",
  }),
  managedListAgents: managed("GET /v1/agents", "List the agents of the catalog", "tasks:read"),
  managedCreateAgent: managed("POST /v1/agents", "Not supported", "tasks:write"),
  managedShowAgent: managed("GET /v1/agents/{agent_id}", "Get an agent of the catalog", "tasks:read"),
  managedUpdateAgent: managed("POST /v1/agents/{agent_id}", "Not supported", "tasks:write"),
  managedArchiveAgent: managed("POST /v1/agents/{agent_id}/archive", "Not supported", "tasks:write"),
  managedListAgentVersions: managed(
    "GET /v1/agents/{agent_id}/versions",
    "List the one version of an agent",
    "tasks:read",
  ),
  managedListEnvironments: managed("GET /v1/environments", "List the engine's one environment", "tasks:read"),
  managedCreateEnvironment: managed("POST /v1/environments", "Not supported", "tasks:write"),
  managedShowEnvironment: managed(
    "GET /v1/environments/{environment_id}",
    "Get the engine's environment",
    "tasks:read",
  ),
  managedUpdateEnvironment: managed("POST /v1/environments/{environment_id}", "Not supported", "tasks:write"),
  managedDeleteEnvironment: managed("DELETE /v1/environments/{environment_id}", "Not supported", "tasks:write"),
  managedArchiveEnvironment: managed("POST /v1/environments/{environment_id}/archive", "Not supported", "tasks:write"),
  managedListSessions: managed("GET /v1/sessions", "List sessions, which are tasks", "tasks:read"),
  managedCreateSession: managed("POST /v1/sessions", "Create a session", "tasks:write"),
  managedShowSession: managed("GET /v1/sessions/{session_id}", "Get a session", "tasks:read"),
  managedUpdateSession: managed(
    "POST /v1/sessions/{session_id}",
    "Change title, metadata or tools of a session",
    "tasks:write",
  ),
  managedDeleteSession: managed("DELETE /v1/sessions/{session_id}", "Delete a session", "tasks:write"),
  managedArchiveSession: managed("POST /v1/sessions/{session_id}/archive", "Archive a session", "tasks:write"),
  managedListEvents: managed("GET /v1/sessions/{session_id}/events", "List the events of a session", "turns"),
  managedSendEvents: managed("POST /v1/sessions/{session_id}/events", "Send messages, interrupts and answers", "turns"),
  managedStreamEvents: managed(
    "GET /v1/sessions/{session_id}/events/stream",
    "Stream the events of a session from now on",
    "turns",
  ),
  managedListResources: managed(
    "GET /v1/sessions/{session_id}/resources",
    "List the resources of a session: none",
    "tasks:read",
  ),
  managedListThreads: managed("GET /v1/sessions/{session_id}/threads", "Not supported", "tasks:read"),
  managedListFiles: managed("GET /v1/files", "Not supported", "files:read"),
  managedListVaults: managed("GET /v1/vaults", "Not supported", "tasks:read"),
  managedCreateVault: managed("POST /v1/vaults", "Not supported", "tasks:write"),
  managedListMemoryStores: managed("GET /v1/memory_stores", "Not supported", "tasks:read"),
  managedCreateMemoryStore: managed("POST /v1/memory_stores", "Not supported", "tasks:write"),
  managedListDeployments: managed("GET /v1/deployments", "Not supported", "tasks:read"),
  managedCreateDeployment: managed("POST /v1/deployments", "Not supported", "tasks:write"),
  uiChat: route("ui_messages", "POST /v1/ui/chat", "Send a message, and stream the answer", {
    role: "operator",
    scope: "turns",
  }),
  uiChatStream: route("ui_messages", "GET /v1/ui/chat/{task_id}/stream", "Stream the turn in flight. 204 without one", {
    role: "operator",
    scope: "turns",
  }),
  uiChatStop: route("ui_messages", "POST /v1/ui/chat/{task_id}/stop", "End the turn in flight", {
    role: "operator",
    scope: "turns",
  }),
  uiChatMessages: route("ui_messages", "GET /v1/ui/chat/{task_id}/messages", "Get the messages of a chat", {
    role: "operator",
    scope: "tasks:read",
  }),
} as const satisfies Record<string, ProtocolRoute>;
export type ProtocolRouteName = keyof typeof PROTOCOL_ROUTES;

const find = rowsAt(Object.values<ProtocolRoute>(PROTOCOL_ROUTES));

/** The protocol of an engine's path. Null for the engine's own interface. */
export const protocolAt = (path: string): ProtocolName | null => find(path)[0]?.protocol ?? null;

/** Whether a path is that of a stream that goes on from turn to turn, and ends with a comment when the engine sleeps. */
export const outlivesTurns = (path: string): boolean =>
  find(path).some((row) => row === PROTOCOL_ROUTES.managedStreamEvents);
