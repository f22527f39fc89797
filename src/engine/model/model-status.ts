import type { ModelHealth } from "../../contract/engine/health.ts";
import { type Clock, isoTime } from "../../shared/clock.ts";
import type { Logger } from "../../shared/logger.ts";
import type { ModelFailure, ModelRequest } from "./model-provider.ts";

/** Progress of a model call as the retrying provider reports it: each retry and the end. */
export type CallReport =
  | { readonly kind: "answered"; readonly request: ModelRequest }
  | { readonly kind: "failed"; readonly request: ModelRequest; readonly failure: ModelFailure }
  | {
      readonly kind: "retrying";
      readonly request: ModelRequest;
      readonly failure: ModelFailure;
      /** Tries so far. */
      readonly tries: number;
      readonly waitMs: number;
    };

export interface ModelStatus {
  readonly report: (call: CallReport) => void;
  readonly health: () => ModelHealth;
}

/** Outcome of the last model call, for `/health` and the log. Error messages never quote keys or conversations. */
export function createModelStatus(logger: Logger, clock: Clock = Date.now): ModelStatus {
  let health: ModelHealth = { status: "unknown", last_error: null, last_error_at: null, next_try_at: null };
  const report = (call: CallReport): void => {
    const { model, purpose = "turn" } = call.request;
    const isAnswer = call.kind === "answered" || call.failure.kind === "too_long";
    if (isAnswer) {
      health = { ...health, status: "ok", next_try_at: null };
      return;
    }
    // The budget refused the call; the provider was not asked.
    if (call.failure.kind === "over_budget") return;
    if (call.failure.kind === "aborted") {
      // The retry was cancelled with the call.
      if (health.status === "retrying") health = { ...health, status: "failing", next_try_at: null };
      return;
    }
    const { message: error } = call.failure;
    const now = clock();
    const failed = { last_error: error, last_error_at: isoTime(now) };
    if (call.kind === "failed") {
      health = { ...failed, status: "failing", next_try_at: null };
      logger.warn({ model, purpose, error }, "failed to call the model");
      return;
    }
    health = { ...failed, status: "retrying", next_try_at: isoTime(now + call.waitMs) };
    const next = Math.ceil(call.waitMs / 1000);
    logger.warn({ model, purpose, error, try: call.tries, next_try_in_s: next }, "failed to call the model; retrying");
  };
  return { report, health: () => health };
}
