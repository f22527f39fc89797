import type { EngineErrorCode } from "../errors.ts";
import { type Protocol, type ProtocolError, route } from "./protocol-row.ts";

/** The codes of JSON-RPC and A2A for errors that they know. The others have their HTTP status, which is free for applications. */
const RPC_CODES: Partial<Record<EngineErrorCode, { readonly code: number; readonly reason: string }>> = {
  INVALID_REQUEST: { code: -32602, reason: "INVALID_PARAMS" },
  PAYLOAD_TOO_LARGE: { code: -32602, reason: "INVALID_PARAMS" },
  NOT_FOUND: { code: -32001, reason: "TASK_NOT_FOUND" },
  HITL_NOT_FOUND: { code: -32001, reason: "TASK_NOT_FOUND" },
  METHOD_NOT_ALLOWED: { code: -32600, reason: "INVALID_PARAMS" },
  INTERNAL_ERROR: { code: -32603, reason: "INTERNAL_ERROR" },
};
export const A2A_DOMAIN = "a2a-protocol.org";

/** An error in an answer of JSON-RPC, as A2A forms it. */
export function rpcErrorOf({ code, message, status, details }: ProtocolError): object {
  const known = RPC_CODES[code];
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: known?.reason ?? code,
    domain: known === undefined ? "orchd" : A2A_DOMAIN,
    metadata: { error: code, ...(details && { details: JSON.stringify(details) }) },
  };
  return { code: known?.code ?? status, message, data: [info] };
}

export const A2A = {
  title: "A2A",
  version: "1.0",
  errorBody: (error) => ({ jsonrpc: "2.0", id: null, error: rpcErrorOf(error) }),
  routes: {
    a2aCard: route("GET /.well-known/agent-card.json", "Get the agent card", "turns"),
    a2aCall: route("POST /a2a", "Call a method by JSON-RPC", "turns"),
  },
} as const satisfies Protocol;
