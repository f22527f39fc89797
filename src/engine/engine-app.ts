import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineHealth } from "../contract/engine-api.ts";

/** What stands behind `/health`: all of an engine that its boot does not wait for. */
export interface EngineApp {
  answer(request: IncomingMessage, response: ServerResponse): void;
  vitals(): Pick<EngineHealth, "active_turns" | "pending_hitl" | "streams">;
  /** No new turns; waits for the running ones, then ends them at the deadline. */
  drain(deadlineMs: number): Promise<void>;
}
