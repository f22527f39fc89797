import type { Request } from "express";
import { TURN_LIMIT_HEADER } from "../../contract/engine/headers.ts";
import { EngineError } from "../engine-error.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";

type Runner = Pick<TurnRunner, "busy" | "stateOf">;

/** Throws `RATE_LIMITED` for a new turn beyond the call's own limit. A message for a task with a turn starts none. */
export function assertMayStart(runner: Runner, request: Request, taskId: string): void {
  if (runner.stateOf(taskId) === null) assertLeft(runner, request);
}

/** The same for an answer, with which a turn that waited runs again. */
export function assertMayGoOn(runner: Runner, request: Request, taskId: string | null): void {
  if (taskId !== null && runner.stateOf(taskId) === "waiting_for_human") assertLeft(runner, request);
}

function assertLeft({ busy }: Runner, request: Request): void {
  const limit = Number(request.get(TURN_LIMIT_HEADER) ?? Infinity);
  if (busy >= limit) throw new EngineError("RATE_LIMITED", `${limit} turns of this user run already`, { limit });
}
