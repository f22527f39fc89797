import { type Protocol, route } from "./protocol-row.ts";

/** Codes of JSON-RPC. */
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

export const MCP = {
  title: "Model Context Protocol",
  version: "2026-07-28",
  errorBody: ({ code, message, status, details }) => ({
    jsonrpc: "2.0",
    id: null,
    error: {
      code: status === 400 ? INVALID_REQUEST : SERVER_ERROR,
      message: `${code}: ${message}`,
      data: { error: code, ...details },
    },
  }),
  routes: {
    mcpSend: route("POST /mcp", "Send a message of JSON-RPC, such as a call of a tool", "turns"),
    mcpContinue: route("GET /mcp", "Continue the stream of a call that was cut: `Last-Event-ID`", "turns"),
  },
} as const satisfies Protocol;
