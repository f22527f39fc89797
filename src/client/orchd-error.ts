import type { EngineErrorCode, OrchestratorErrorCode } from "./records.ts";

/** The client's own errors, next to the codes of the services. */
export const CLIENT_ERRORS = {
  INVALID_ARGUMENT: "A key, a URL or an ID cannot be sent.",
  UNREACHABLE: "The connection failed or was lost before the response was complete.",
  TIMEOUT: "No response arrived in time.",
  CONNECTION_LOST: "A stream was lost and could not be resumed. A turn may continue without its reader.",
  EVENTS_TRUNCATED: "Events after the last one read are no longer stored.",
  BAD_ANSWER: "The response is not one of orchd: a proxy's page, a redirect or damaged data.",
  STREAM_LEFT: "`result()` was called, but the turn's events were not read to the end.",
  NO_TOKEN: "`getToken` of a user's client failed or returned no token.",
  NO_OUTPUT: "`output()` was called, but the turn has no output schema.",
} as const satisfies Record<string, string>;
export type ClientErrorCode = keyof typeof CLIENT_ERRORS;

/** Every known code; a later service may have others. */
export type ErrorCode = EngineErrorCode | OrchestratorErrorCode | ClientErrorCode | (string & Record<never, never>);

export interface ErrorParts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status?: number | null;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterS?: number | null;
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** Every error of the clients, except the reason of the caller's own signal. Route by `code`. */
export class OrchdError extends Error {
  override readonly name = "OrchdError";
  readonly code: ErrorCode;
  /** The HTTP status; null for an error in a stream and without a response. */
  readonly status: number | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds to wait before a retry, as the service asked; null if it did not. */
  readonly retryAfterS: number | null;
  /** The orchestrator's ID of the call, as in its log. */
  readonly requestId: string | null;

  constructor({ code, message, status = null, details = {}, retryAfterS = null, requestId = null, cause }: ErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfterS = retryAfterS;
    this.requestId = requestId;
  }
}
