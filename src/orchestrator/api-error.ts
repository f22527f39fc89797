import { ORCHESTRATOR_ERRORS, type OrchestratorErrorCode } from "../contract/orchestrator/errors.ts";

interface Particulars {
  readonly retryAfterS?: number | null;
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** An error that clients see: a code of the table and a message for this case. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: OrchestratorErrorCode;
  /** `Retry-After` in seconds, or null. */
  readonly retryAfterS: number | null;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: OrchestratorErrorCode, message: string, { retryAfterS = null, cause, details }: Particulars = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfterS = retryAfterS;
    this.details = details;
  }

  get status(): number {
    return ORCHESTRATOR_ERRORS[this.code].status;
  }
}

/** For a call whose work the next daemon finishes. */
export const daemonStops = (): ApiError => new ApiError("SERVICE_UNAVAILABLE", "orchd is stopping", { retryAfterS: 1 });
