import * as routes from "./engine-routes.ts";
import type { CallOptions } from "./http-call.ts";
import type { Calls, OptionsOf } from "./route.ts";

/** The calls that list turns, and take conversations elsewhere. */
export const turnCalls = ({ call }: Calls) => ({
  /** One page of turns, the newest first. */
  listTurns: (given: OptionsOf<typeof routes.listTurns> = {}) => call(routes.listTurns, given),

  turn: (turnId: string, given: CallOptions = {}) => call(routes.showTurn, { ...given, turnId }),

  /** Begins a task with the messages of another one, up to `afterMessage`. */
  forkTask: (given: OptionsOf<typeof routes.forkTask>) => call(routes.forkTask, given),

  /** Takes a conversation back to a message, and with `files: "restore"` the files of the workspace too. */
  rewindTask: (given: OptionsOf<typeof routes.rewindTask>) => call(routes.rewindTask, given),
});
