import type { EngineErrorCode } from "./errors.ts";

/** An error as every protocol's form of it is made of. */
export interface ProtocolError {
  readonly code: EngineErrorCode;
  readonly message: string;
  readonly status: number;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

interface Protocol {
  /** The protocol's name, as its own documents write it. */
  readonly title: string;
  /** The version that is spoken. */
  readonly version: string;
  /** The body of a refused call. */
  readonly errorBody: (error: ProtocolError) => object;
}

/** OpenAI's names of errors, where they differ from ours. */
const OPENAI_CODES: Partial<Record<EngineErrorCode, string>> = {
  INVALID_ENGINE_KEY: "invalid_api_key",
  INVALID_TOKEN: "invalid_api_key",
  LLM_RATE_LIMITED: "rate_limit_exceeded",
  RATE_LIMITED: "rate_limit_exceeded",
  BUDGET_EXCEEDED: "insufficient_quota",
};

const openaiType = (status: number): string => {
  if (status >= 500) return "server_error";
  if (status === 429) return "rate_limit_error";
  return status === 401 ? "authentication_error" : "invalid_request_error";
};

/** The messages of our errors begin with the field that they are about. */
const openaiError = ({ code, message, status }: ProtocolError): object => {
  const param = /^([\w.-]{1,100}): /.exec(message)?.[1] ?? null;
  const isModel = code === "NOT_FOUND" && param === "model";
  const named = isModel ? "model_not_found" : (OPENAI_CODES[code] ?? code.toLowerCase());
  return { error: { message, type: openaiType(status), param, code: named } };
};
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
/** Codes of JSON-RPC. */
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

/** The protocols that an engine speaks beside its own interface. */
export const PROTOCOLS = {
  a2a: {
    title: "A2A",
    version: "1.0",
    errorBody: (error) => ({ jsonrpc: "2.0", id: null, error: rpcErrorOf(error) }),
  },
  ag_ui: {
    title: "AG-UI",
    version: "1.0",
    errorBody: ({ code, message, details }) => ({
      type: "RUN_ERROR",
      code,
      message,
      ...(details && { metadata: { details } }),
    }),
  },
  openai_chat: { title: "OpenAI chat completions", version: "1", errorBody: openaiError },
  openai_responses: { title: "OpenAI Responses", version: "1", errorBody: openaiError },
  mcp: {
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
  },
  managed_agents: {
    title: "Claude Managed Agents",
    version: "2026-04-01",
    errorBody: ({ code, message, status, details }) => ({
      type: "error",
      error: { type: managedErrorType(code, status), message, ...(details && { details }) },
      request_id: `req_${crypto.randomUUID().replaceAll("-", "")}`,
    }),
  },
  ui_messages: {
    title: "AI SDK UI message stream",
    version: "1",
    errorBody: ({ code, message, details }) => ({ error: code, message, ...(details && { details }) }),
  },
} as const satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof PROTOCOLS;

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

/** The body of a refused call of a protocol's route. */
export const protocolErrorBody = (protocol: ProtocolName, error: ProtocolError): object =>
  PROTOCOLS[protocol].errorBody(error);
