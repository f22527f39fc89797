import type { AgentOutcome } from "../agent/agent-loop.ts";
import { EngineError, internalError } from "../engine-error.ts";
import { TurnAborted, TurnParked } from "./task-slots.ts";
import type { Ending } from "./turn-lifecycle.ts";

/** How a turn ends whose loop threw, or was aborted with the turn's signal. */
export function outcomeOf(error: unknown, signal: AbortSignal): AgentOutcome | Ending {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (cause instanceof TurnParked) return { kind: "parked" };
  if (cause instanceof TurnAborted) return { kind: "errored", code: cause.code, message: cause.message };
  const { code, message, details } =
    cause instanceof EngineError
      ? cause
      : internalError(cause, "unexpected error; see the engine's log for this turn_id");
  return { kind: "errored", code, message, details };
}
