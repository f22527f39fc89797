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

/** Codes of JSON-RPC. */
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

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
  ui_messages: {
    title: "AI SDK UI message stream",
    version: "1",
    errorBody: ({ code, message, details }) => ({ error: code, message, ...(details && { details }) }),
  },
} as const satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof PROTOCOLS;

/** The body of a refused call of a protocol's route. */
export const protocolErrorBody = (protocol: ProtocolName, error: ProtocolError): object =>
  PROTOCOLS[protocol].errorBody(error);
