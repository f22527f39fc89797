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

/** Every route of the protocols that an engine speaks beside its own interface. A table of its own, for protocols load at their first call. */
export const PROTOCOL_ROUTES = {
  a2aCard: route("a2a", "GET /.well-known/agent-card.json", "Get the agent card", {
    role: "operator",
    scope: "turns",
  }),
  a2aCall: route("a2a", "POST /a2a", "Call a method by JSON-RPC", { role: "operator", scope: "turns" }),
  agUiRun: route("ag_ui", "POST /ag-ui", "Run the agent, and stream its events", { role: "operator", scope: "turns" }),
  mcpSend: route("mcp", "POST /mcp", "Send a message of JSON-RPC, such as a call of a tool", {
    role: "operator",
    scope: "turns",
  }),
  mcpContinue: route("mcp", "GET /mcp", "Continue the stream of a call that was cut: `Last-Event-ID`", {
    role: "operator",
    scope: "turns",
  }),
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
