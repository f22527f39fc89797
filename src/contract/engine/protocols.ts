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

/** The protocols that an engine speaks beside its own interface. */
export const PROTOCOLS = {
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
