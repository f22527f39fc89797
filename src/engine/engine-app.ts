import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineHealth } from "../contract/engine-api.ts";

/** An engine without its server and its store. */
export interface EngineApp {
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Resolves when the engine has decided to sleep and accepts no connection any more. It then drains and exits. */
  readonly asleep: Promise<void>;
  vitals(): Pick<EngineHealth, "active_turns" | "pending_hitl" | "streams" | "core_soul_hash" | "model">;
  /** Rejects new turns and parks running ones; those not finished by the deadline resume at the next start. */
  drain(deadlineMs: number): Promise<void>;
}
