import type { ErrorRequestHandler, Request } from "express";
import type { ErrorBody } from "../../contract/orchestrator-api.ts";
import type { OrchestratorErrorCode } from "../../contract/orchestrator-errors.ts";
import type { Logger } from "../../shared/logger.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import { hostExhausted, unavailable } from "./unavailable.ts";

const LOGGED: ReadonlySet<OrchestratorErrorCode> = new Set(["INTERNAL_ERROR", "BACKEND_ERROR"]);

/** Why the database cannot do now what it was asked; null when that is not what the error says. */
export type WhyDatabase = (error: unknown) => string | null;

/** Turns whatever a call threw into one row of the error table; what no row describes is logged and INTERNAL_ERROR. */
export function errorResponder(logger: Logger, whyDatabase: WhyDatabase): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = toApiError(error, whyDatabase);
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

function toApiError(error: unknown, whyDatabase: WhyDatabase): ApiError {
  // A process that could not be started for want of disk or files is no fault of the engine's.
  if (error instanceof ApiError) return (error.code === "BACKEND_ERROR" ? hostExhausted(error) : null) ?? error;
  if (error instanceof InvalidInput) return new ApiError("INVALID_REQUEST", error.message, { cause: error });
  const reason = whyDatabase(error);
  if (reason !== null) return unavailable(reason, error);
  const exhausted = hostExhausted(error);
  if (exhausted !== null) return exhausted;
  if (error instanceof URIError) {
    return new ApiError("INVALID_REQUEST", "path: expected percent-encoded UTF-8", { cause: error });
  }
  return new ApiError("INTERNAL_ERROR", "unexpected fault; the log has it under the request id", { cause: error });
}

/** The route's pattern, without anybody's user_id. */
const routeOf = (request: Request): unknown => request.route?.path;
