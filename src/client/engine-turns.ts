import * as routes from "./engine-routes.ts";
import type { CallOptions } from "./http-call.ts";
import type { Calls, OptionsOf } from "./route.ts";

/** The calls that read an engine's turns and their requests to models. */
export const turnCalls = ({ call }: Calls) => ({
  /** One page of turns, the newest first. */
  listTurns: (given: OptionsOf<typeof routes.listTurns> = {}) => call(routes.listTurns, given),

  turn: (turnId: string, given: CallOptions = {}) => call(routes.showTurn, { ...given, turnId }),

  /** The model calls of a turn, with their tokens by part of the context. Kept for 24 hours. */
  modelRequests: (turnId: string, given: CallOptions = {}) => call(routes.listRequests, { ...given, turnId }),

  /** Begins a task with the messages of another one, up to `afterMessage`. */
  forkTask: (given: OptionsOf<typeof routes.forkTask>) => call(routes.forkTask, given),

  /** Takes a conversation back to a message, and with `files: "restore"` the files of the workspace too. */
  rewindTask: (given: OptionsOf<typeof routes.rewindTask>) => call(routes.rewindTask, given),

  /** One request as it was sent, without secrets. */
  modelRequest: (turnId: string, number: number, given: CallOptions = {}) =>
    call(routes.showRequest, { ...given, turnId, number: String(number) }),
});
