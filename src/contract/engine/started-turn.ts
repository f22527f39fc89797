import * as z from "zod/mini";
import { characters, keptJson } from "../../shared/parse.ts";
import { messageText } from "./message-content.ts";
import { effort, modelName } from "./model-schemas.ts";
import { taskId } from "./requests.ts";
import { field } from "../record.ts";
import type { IntegerParameter } from "../route-table.ts";

export const startTurnRequest = z.object({
  key: field(
    characters(1, 255),
    "Within 24 h, a repeated key and request returns the turn that the first call started.",
  ),
  request: z.object({
    message: messageText,
    task_id: taskId,
    agent: z.optional(characters(1, 64)),
    model: z.optional(modelName),
    effort: z.optional(effort),
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
