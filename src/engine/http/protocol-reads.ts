import type { Request } from "express";
import type { EngineCalls } from "../protocols/engine-calls.ts";
import type { TaskList } from "../tasks/task-list.ts";
import type { TurnList } from "../turns/turn-list.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { type StartedTurns, earlierTurnOf } from "./earlier-turn.ts";
import { assertPermitted } from "./inner-call.ts";
import { mayReach, reachable } from "./task-bounds.ts";

export interface ProtocolReadParts {
  readonly agents: EngineCalls["agents"];
  readonly catalogSkills: EngineCalls["skills"];
  readonly idempotency: StartedTurns;
  readonly runner: TurnRunner;
  readonly taskList: TaskList;
  readonly turnList: Pick<TurnList, "sentWith">;
}

/** Operations for other protocols that no route of the engine's interface has. Each is kept to what the caller may reach. */
export function protocolReads(
  { agents, catalogSkills, idempotency, runner, taskList, turnList }: ProtocolReadParts,
  request: Request,
): Pick<EngineCalls, "agents" | "skills" | "sentWith" | "earlierTurn" | "tasksWithPrefix" | "cancelTurn"> {
  const isReachable = (turnId: string) => mayReach(request, runner.taskOf(turnId));
  return {
    agents,
    skills: catalogSkills,
    sentWith(turnId) {
      assertPermitted(request, "showTurn");
      return isReachable(turnId) ? turnList.sentWith(turnId) : null;
    },
    earlierTurn() {
      const turnId = earlierTurnOf(idempotency, request.get("Idempotency-Key"));
      return turnId !== null && isReachable(turnId) ? turnId : null;
    },
    tasksWithPrefix(prefix, limit) {
      assertPermitted(request, "listTasks");
      const permits = reachable(request) ?? (() => true);
      return taskList.withPrefix(prefix, limit).filter(permits);
    },
    cancelTurn(taskId, turnId) {
      assertPermitted(request, "cancel");
      return mayReach(request, taskId) && runner.cancel(taskId, { turnId });
    },
  };
}
