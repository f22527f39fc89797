import type { ModelHealth } from "../../contract/engine-api.ts";
import { type Clock, isoTime } from "../../shared/clock.ts";
import type { Logger } from "../../shared/logger.ts";
import type { ModelFailure, ModelRequest } from "./model-provider.ts";

/** How a model call goes, as the retrying provider reports it: each wait for another try, and the end. */
export type CallReport =
  | { readonly kind: "answered"; readonly request: ModelRequest }
  | { readonly kind: "failed"; readonly request: ModelRequest; readonly failure: ModelFailure }
  | {
      readonly kind: "retrying";
      readonly request: ModelRequest;
      readonly failure: ModelFailure;
      /** How many tries there were. */
      readonly tries: number;
      readonly waitMs: number;
    };

export interface ModelStatus {
  readonly report: (told: CallReport) => void;
  readonly health: () => ModelHealth;
}

/** How the last model call went, for `/health` and the log. A failure's message never quotes a key or a conversation. */
export function createModelStatus(logger: Logger, clock: Clock = Date.now): ModelStatus {
  let health: ModelHealth = { status: "unknown", last_error: null, last_error_at: null, next_try_at: null };
  const report = (told: CallReport): void => {
    const { model, purpose = "turn" } = told.request;
    const isAnswer = told.kind === "answered" || told.failure.kind === "too_long";
    if (isAnswer) {
      health = { ...health, status: "ok", next_try_at: null };
      return;
    }
    if (told.failure.kind === "aborted") {
      // Nobody waits for the next try any more.
      if (health.status === "retrying") health = { ...health, status: "failing", next_try_at: null };
      return;
    }
    const { message: error } = told.failure;
    const now = clock();
    const failed = { last_error: error, last_error_at: isoTime(now) };
    if (told.kind === "failed") {
      health = { ...failed, status: "failing", next_try_at: null };
      logger.warn({ model, purpose, error }, "model call failed");
      return;
    }
    health = { ...failed, status: "retrying", next_try_at: isoTime(now + told.waitMs) };
    const next = Math.ceil(told.waitMs / 1000);
    logger.warn({ model, purpose, error, try: told.tries, next_try_in_s: next }, "model call failed, retrying");
  };
  return { report, health: () => health };
}
