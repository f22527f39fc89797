import type { ErrorRequestHandler } from "express";
import type { EngineErrorBody } from "../../contract/engine-api.ts";
import type { EngineErrorCode } from "../../contract/engine-errors.ts";
import { refusalOf, respondToErrors } from "../../shared/http/refusal.ts";
import type { Logger } from "../../shared/logger.ts";
import { EngineError, internalError } from "../engine-error.ts";

const RETRY_AFTER_S: Partial<Record<EngineErrorCode, number>> = { ENGINE_DRAINING: 5, SERVICE_UNAVAILABLE: 1 };

/** Answers whatever a call threw as one row of the error table, in the flat form. */
export const errorResponder = (logger: Logger): ErrorRequestHandler =>
  respondToErrors({
    identify(error) {
      const { code, message, details, status } = toEngineError(error);
      return { code, message, details, status, retryAfterS: RETRY_AFTER_S[code] ?? null };
    },
    bodyOf: ({ code, message, details }): EngineErrorBody => ({ error: code, message, ...(details && { details }) }),
    log({ code }, { error, request }) {
      if (code === "INTERNAL_ERROR") logger.error({ err: error, path: request.path }, "call failed");
    },
  });

function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const refusal = refusalOf(error);
  if (refusal !== null) return new EngineError(refusal.code, refusal.message);
  return internalError(error, "unexpected fault; the engine's log has it");
}
