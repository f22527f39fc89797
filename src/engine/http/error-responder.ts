import type { ErrorRequestHandler } from "express";
import type { EngineErrorBody } from "../../contract/engine-api.ts";
import type { EngineErrorCode } from "../../contract/engine-errors.ts";
import type { Logger } from "../../shared/logger.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError, internalError } from "../engine-error.ts";

const RETRY_AFTER_S: Partial<Record<EngineErrorCode, number>> = { ENGINE_DRAINING: 5, SERVICE_UNAVAILABLE: 1 };

/** Turns whatever a call threw into one row of the error table, in the flat form. */
export function errorResponder(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = toEngineError(error);
    if (known.code === "INTERNAL_ERROR") logger.error({ err: error, path: request.path }, "call failed");
    if (response.headersSent) return next(error);
    const { code, message, details } = known;
    const retryAfterS = RETRY_AFTER_S[code];
    if (retryAfterS !== undefined) response.set("Retry-After", String(retryAfterS));
    const body: EngineErrorBody = { error: code, message, ...(details && { details }) };
    response.status(known.status).json(body);
  };
}

function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  if (error instanceof InvalidInput) return new EngineError("INVALID_REQUEST", error.message);
  if (error instanceof URIError) return new EngineError("INVALID_REQUEST", "path: expected percent-encoded UTF-8");
  return internalError(error, "unexpected fault; the engine's log has it");
}
