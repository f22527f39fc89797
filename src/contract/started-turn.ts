import * as z from "zod/mini";
import { characters, keptJson } from "../shared/parse.ts";
import { messageText } from "./attachments.ts";
import { taskId } from "./engine-api.ts";
import type { IntegerParameter } from "./route-table.ts";

/** A turn that the daemon started, as the engine's store has it. */
export interface StartedTurn {
  readonly turn_id: string;
  readonly state: "running" | "waiting_for_human" | "completed" | "errored";
  /** The error code of a turn that `errored`. */
  readonly error: string | null;
}

export const startedTurn = z.object({
  turn_id: z.string(),
  state: z.enum(["running", "waiting_for_human", "completed", "errored"]),
  error: z.nullable(z.string()),
}) satisfies z.ZodMiniType<StartedTurn>;

/** Within 24 h, a repeated `key` and request returns the turn that the first call started. */
export const startTurnRequest = z.object({
  key: characters(1, 255),
  request: z.object({
    message: messageText,
    task_id: taskId,
    agent: z.optional(characters(1, 64)),
    metadata: z.optional(keptJson()),
  }),
});

/** How long the engine waits for the end of a turn that runs. */
export const TURN_WAIT_MS: IntegerParameter = {
  kind: "integer",
  min: 0,
  max: 30_000,
  fallback: 0,
  summary: "Wait so long while the turn runs",
};
