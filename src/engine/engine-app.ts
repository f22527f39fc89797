import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineHealth } from "../contract/engine-api.ts";

/** What stands behind `/health`: all of an engine that its boot does not wait for. */
export interface EngineApp {
  answer(request: IncomingMessage, response: ServerResponse): void;
  vitals(): Pick<EngineHealth, "active_turns" | "pending_hitl" | "streams" | "core_soul_hash" | "model">;
  /** No new turns, and no new steps of the running ones; what has not ended by the deadline goes on at the next start. */
  drain(deadlineMs: number): Promise<void>;
}
