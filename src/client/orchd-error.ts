import type { EngineErrorCode } from "../contract/engine-errors.ts";
import type { OrchestratorErrorCode } from "../contract/orchestrator-errors.ts";

/** What goes wrong on the way, or here, as the services' own codes tell what goes wrong there. */
export const CLIENT_ERRORS = {
  INVALID_ARGUMENT: "What was given cannot be sent: a key, an address or an id.",
  UNREACHABLE: "There is no connection, or it was lost before the answer had come whole.",
  TIMEOUT: "No answer came in time.",
  CONNECTION_LOST: "A stream was lost, and could not be taken up again. A turn may go on without its reader.",
  EVENTS_TRUNCATED: "Events between the last one read and the next are no longer kept.",
  BAD_ANSWER: "What answered does not speak the interface: a proxy's page, a redirect, garbage.",
  STREAM_LEFT: "The result was asked for, but the turn's events were not read to their end.",
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

/** Everything that the clients throw, but for the reason of a caller's own signal. Route by `code`. */
export class OrchdError extends Error {
  override readonly name = "OrchdError";
  readonly code: ErrorCode;
  /** The HTTP status; null for what came in a stream, and where there was no answer. */
  readonly status: number | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds that the service asks to be left alone; null when it named none. */
  readonly retryAfterS: number | null;
  /** The orchestrator's name for the call, in its log too. */
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
