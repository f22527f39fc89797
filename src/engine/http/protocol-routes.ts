import type { RequestHandler } from "express";
import type { ProtocolRouteName } from "../../contract/engine/protocol-routes.ts";
import { PROTOCOL_ROUTES } from "../../contract/engine/protocol-routes.ts";
import type { ProtocolName } from "../../contract/engine/protocols.ts";
import type { ProtocolModule } from "../protocols/protocol.ts";
import { type EngineCallParts, engineCalls } from "./protocol-calls.ts";

/** Each protocol is a bundle of its own, which an engine loads at the first call. */
const LOAD: Readonly<Record<ProtocolName, () => Promise<ProtocolModule>>> = {
  a2a: () => import("../protocols/a2a/a2a.ts"),
  ag_ui: () => import("../protocols/ag-ui/ag-ui.ts"),
  mcp: () => import("../protocols/mcp/mcp-endpoint.ts"),
  managed_agents: () => import("../protocols/managed-agents/managed-agents.ts"),
  ui_messages: () => import("../protocols/ui-messages/ui-messages.ts"),
  openai_chat: () => import("../protocols/openai/openai-chat.ts"),
  openai_responses: () => import("../protocols/openai/openai-responses.ts"),
};

/** A handler for each route of the protocols. */
export const protocolRoutes = (parts: EngineCallParts): Readonly<Record<ProtocolRouteName, RequestHandler>> =>
  Object.fromEntries(
    Object.entries(PROTOCOL_ROUTES).map(([name, { protocol }]): [string, RequestHandler] => [
      name,
      async (request, response) => {
        const { handlers } = await LOAD[protocol]();
        const handler = handlers[name as ProtocolRouteName];
        if (handler === undefined) throw new Error(`${protocol} has no handler for ${name}`);
        await handler({ request, response, calls: engineCalls(parts, request, response) });
      },
    ]),
  ) as Record<ProtocolRouteName, RequestHandler>;
