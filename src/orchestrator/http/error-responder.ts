import type { ErrorRequestHandler, Request } from "express";
import type { ErrorBody } from "../../contract/orchestrator-api.ts";
import type { OrchestratorErrorCode } from "../../contract/orchestrator-errors.ts";
import type { Logger } from "../../kit/logger.ts";
import { InvalidInput } from "../../kit/parse.ts";
import { ApiError } from "../api-error.ts";

const LOGGED: ReadonlySet<OrchestratorErrorCode> = new Set(["INTERNAL_ERROR", "BACKEND_ERROR"]);

/** Turns whatever a call threw into one row of the error table; what no row describes is logged and INTERNAL_ERROR. */
export function errorResponder(logger: Logger, isDatabaseAway: (error: unknown) => boolean): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = toApiError(error, isDatabaseAway);
    // That it is starting or draining is no news; that the database is away is.
    const isNews = known.code === "SERVICE_UNAVAILABLE" ? known.cause !== undefined : LOGGED.has(known.code);
    if (isNews) {
      const fields = { request_id: response.getHeader("x-request-id"), route: routeOf(request), code: known.code };
      logger[known.code === "INTERNAL_ERROR" ? "error" : "warn"]({ ...fields, err: error }, "call failed");
    }
    if (response.headersSent) return next(error);
    if (known.retryAfterS !== null) response.set("Retry-After", String(known.retryAfterS));
    const body: ErrorBody = { error: { code: known.code, message: known.message } };
    response.status(known.status).json(body);
  };
}

function toApiError(error: unknown, isDatabaseAway: (error: unknown) => boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof InvalidInput) return new ApiError("INVALID_REQUEST", error.message, { cause: error });
  if (isDatabaseAway(error)) {
    return new ApiError("SERVICE_UNAVAILABLE", "the database cannot be reached", { retryAfterS: 5, cause: error });
  }
  if (error instanceof URIError) {
    return new ApiError("INVALID_REQUEST", "path: expected percent-encoded UTF-8", { cause: error });
  }
  return new ApiError("INTERNAL_ERROR", "unexpected fault; the log has it under the request id", { cause: error });
}

/** The route's pattern, without anybody's user_id. */
const routeOf = (request: Request): unknown => request.route?.path;
