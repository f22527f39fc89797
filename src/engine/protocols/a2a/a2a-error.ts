import { A2A_DOMAIN, rpcErrorOf } from "../../../contract/engine/protocols/a2a-protocol.ts";
import type { EngineCalls } from "../engine-calls.ts";

/** The errors that A2A defines, by their reason. */
const CODES = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  VERSION_NOT_SUPPORTED: -32009,
  METHOD_NOT_FOUND: -32601,
  INVALID_REQUEST: -32600,
  INVALID_PARAMS: -32602,
} as const;

/** A refusal that A2A has its own error for. */
export class A2aError extends Error {
  readonly reason: keyof typeof CODES;

  constructor(reason: keyof typeof CODES, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** An error as JSON-RPC answers it. */
export function answeredError(calls: EngineCalls, error: unknown): object {
  if (!(error instanceof A2aError)) return rpcErrorOf(calls.described(error));
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: error.reason, domain: A2A_DOMAIN };
  return { code: CODES[error.reason], message: error.message, data: [info] };
}

export const invalid = (message: string): A2aError => new A2aError("INVALID_PARAMS", message);
