import type { Request } from "express";
import type { EngineCalls } from "../protocols/engine-calls.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { assertPermitted } from "./inner-call.ts";
import { mayReach } from "./task-bounds.ts";

export interface ProtocolReadParts {
  readonly agents: EngineCalls["agents"];
  readonly runner: TurnRunner;
}

/** Operations for other protocols that no route of the engine's interface has. Each is kept to what the caller may reach. */
export function protocolReads(
  { agents, runner }: ProtocolReadParts,
  request: Request,
): Pick<EngineCalls, "agents" | "cancelTurn"> {
  return {
    agents,
    cancelTurn(taskId, turnId) {
      assertPermitted(request, "cancel");
      return mayReach(request, taskId) && runner.cancel(taskId, { turnId });
    },
  };
}
