import { type Moment, type SessionEvent, type StopReason, sessionEvent } from "./session-event.ts";

/** The protocol's types of errors by the engine's codes. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["LLM_RATE_LIMITED", "model_rate_limited_error"],
  ["LLM_PROVIDER_ERROR", "model_request_failed_error"],
  ["BUDGET_EXCEEDED", "billing_error"],
  ["STEP_LIMIT", "tool_use_limit_reached_error"],
  ["LOOP_DETECTED", "tool_use_limit_reached_error"],
  ["COMPACTION_FAILED", "compaction_limit_reached_error"],
]);

/** What precedes the idle status of a turn that failed, and why the session is idle then. A cancelled turn has not failed. */
export function failure(
  moment: Moment,
  code: string,
  message: string,
): { readonly event: SessionEvent; readonly reason: StopReason } {
  if (code === "CANCELLED")
    return { event: sessionEvent(moment, "interrupt", "user.interrupt"), reason: { type: "end_turn" } };
  const error = { type: TYPES.get(code) ?? "unknown_error", message, retry_status: { type: "exhausted" } };
  return {
    event: sessionEvent(moment, "error", "session.error", { error }),
    reason: { type: code === "BUDGET_EXCEEDED" ? "budget_reached" : "retries_exhausted" },
  };
}
