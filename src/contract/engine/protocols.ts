import { A2A } from "./protocols/a2a-protocol.ts";
import { AG_UI } from "./protocols/ag-ui-protocol.ts";
import { MANAGED_AGENTS } from "./protocols/managed-agents-protocol.ts";
import { MCP } from "./protocols/mcp-protocol.ts";
import { OPENAI_CHAT } from "./protocols/openai-chat-protocol.ts";
import { OPENAI_RESPONSES } from "./protocols/openai-responses-protocol.ts";
import type { Protocol, ProtocolError } from "./protocols/protocol-row.ts";
import { UI_MESSAGES } from "./protocols/ui-messages-protocol.ts";

/** The protocols that an engine speaks beside its own interface. */
export const PROTOCOLS = {
  a2a: A2A,
  ag_ui: AG_UI,
  openai_chat: OPENAI_CHAT,
  openai_responses: OPENAI_RESPONSES,
  mcp: MCP,
  managed_agents: MANAGED_AGENTS,
  ui_messages: UI_MESSAGES,
} as const satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof PROTOCOLS;

/** The body of a refused call of a protocol's route. */
export const protocolErrorBody = (protocol: ProtocolName, error: ProtocolError): object =>
  PROTOCOLS[protocol].errorBody(error);
