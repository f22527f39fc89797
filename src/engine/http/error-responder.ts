import type { ErrorRequestHandler } from "express";
import type { EngineErrorBody } from "../../contract/engine-api.ts";
import type { Logger } from "../../kit/logger.ts";
import { InvalidInput } from "../../kit/parse.ts";
import { EngineError, internalError } from "../engine-error.ts";

/** Turns whatever a call threw into one row of the error table, in the flat form. */
export function errorResponder(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = toEngineError(error);
    if (known.code === "INTERNAL_ERROR") logger.error({ err: error, path: request.path }, "call failed");
    if (response.headersSent) return next(error);
    const { code, message, details } = known;
    if (code === "ENGINE_DRAINING") response.set("Retry-After", "5");
    const body: EngineErrorBody = { error: code, message, ...(details && { details }) };
    response.status(known.status).json(body);
  };
}

function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  if (error instanceof InvalidInput) return new EngineError("INVALID_REQUEST", error.message);
  // What Express and its body reader refuse carries an HTTP status of its own.
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (status === 413) return new EngineError("PAYLOAD_TOO_LARGE", "body: expected at most 2 MiB");
  if (status === 400 || status === 415)
    return new EngineError("INVALID_REQUEST", "body: expected JSON, not compressed");
  return internalError(error, "unexpected fault; the engine's log has it");
}
