import type { ErrorRequestHandler, Request } from "express";
import type { ErrorBody } from "../../contract/orchestrator/requests.ts";
import type { OrchestratorErrorCode } from "../../contract/orchestrator/errors.ts";
import { errorCode } from "../../shared/error-code.ts";
import { refusalOf, respondToErrors } from "../../shared/http/refusal.ts";
import type { Logger } from "../../shared/logger.ts";
import { ApiError } from "../api-error.ts";

const LOGGED: ReadonlySet<OrchestratorErrorCode> = new Set(["INTERNAL_ERROR", "BACKEND_ERROR"]);

/** Why the database cannot execute a statement now. Null for other errors. */
export type UnavailableReason = (error: unknown) => string | null;

/** Responds to errors by the error table. Unexpected errors are logged and become INTERNAL_ERROR. */
export const errorResponder = (logger: Logger, unavailableReasonOf: UnavailableReason): ErrorRequestHandler =>
  respondToErrors({
    identify: (error) => toApiError(error, unavailableReasonOf),
    bodyOf: ({ code, message, details }) => errorBody(code, message, details),
    log({ code, cause }, { error, request, response }) {
      // SERVICE_UNAVAILABLE has a cause only when the database or a resource is unavailable.
      if (code === "SERVICE_UNAVAILABLE" ? cause === undefined : !LOGGED.has(code)) return;
      const fields = { request_id: response.getHeader("x-request-id"), route: routeOf(request), code };
      logger[code === "INTERNAL_ERROR" ? "error" : "warn"]({ ...fields, err: error }, "failed to handle a call");
    },
  });

/** The body of the response to what is not an HTTP request. */
export const invalidRequestBody = (message: string): ErrorBody => errorBody("INVALID_REQUEST", message);

const errorBody = (code: OrchestratorErrorCode, message: string, details?: ApiError["details"]): ErrorBody => ({
  error: { code, message, ...(details && { details }) },
});

function toApiError(error: unknown, unavailableReasonOf: UnavailableReason): ApiError {
  // A lack of disk or open files is an error of the host, not of the engine's process.
  if (error instanceof ApiError) return (error.code === "BACKEND_ERROR" ? hostExhausted(error) : null) ?? error;
  const refusal = refusalOf(error);
  if (refusal !== null) return new ApiError(refusal.code, refusal.message, refusal);
  const reason = unavailableReasonOf(error);
  if (reason !== null) return unavailable(reason, error);
  const exhausted = hostExhausted(error);
  if (exhausted !== null) return exhausted;
  return new ApiError("INTERNAL_ERROR", "internal server error; search the log of the daemon for this request_id", {
    cause: error,
  });
}

/** The route's pattern, which contains no user_id. */
const routeOf = (request: Request): unknown => request.route?.path;

const RETRY_AFTER_S = 5;

/** Errors of exhausted resources, by error code. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  ENOSPC: "the host has no disk space left",
  EDQUOT: "the host's disk quota is used up",
  EMFILE: "the daemon has too many open files",
  ENFILE: "the host has too many open files",
  ENOMEM: "the host has no memory left",
  EAGAIN: "the host has no room for another process",
};

/** SERVICE_UNAVAILABLE when an error or one of its causes is an exhausted resource of the host; null for other errors. */
function hostExhausted(error: unknown): ApiError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const reason = EXHAUSTED[errorCode(cause)];
    if (reason !== undefined) return unavailable(reason, error);
  }
  return null;
}

const unavailable = (reason: string, cause: unknown): ApiError =>
  new ApiError("SERVICE_UNAVAILABLE", reason, { retryAfterS: RETRY_AFTER_S, cause });
