import { ORCHESTRATOR_ERRORS, type OrchestratorErrorCode } from "../contract/orchestrator-errors.ts";

/** A refusal a client may see: one row of the table, with words for this case. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: OrchestratorErrorCode;
  /** Seconds, for `Retry-After`. */
  readonly retryAfterS: number | null;

  constructor(
    code: OrchestratorErrorCode,
    message: string,
    { retryAfterS = null, cause }: { readonly retryAfterS?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfterS = retryAfterS;
  }

  get status(): number {
    return ORCHESTRATOR_ERRORS[this.code].status;
  }
}
